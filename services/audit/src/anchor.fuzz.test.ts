/** Anchors of the audit log that are almost valid, as their stores hold them: read as one, or none. */
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { changedJson, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anchorLine, anchorOf, isAnchorSigned, readAnchor } from './anchor.ts'
import type { IsSigned, Signer } from './signing.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer: Signer = { kid: 'k', publicKey: '', sign: (bytes) => sign(null, bytes, privateKey) }
const signed = anchorOf(
  { n: 7n, hash: Buffer.alloc(32, 1) },
  signer,
  new Date('2026-03-01T12:00:00.000Z'),
)
const isSigned: IsSigned = (kid, bytes, signature) =>
  kid === signer.kid && verify(null, bytes, publicKey, signature)

test('A changed anchor is none, or is not signed unless it names the same entry and time', () => {
  const line = anchorLine(signed)
  const lines = fc.oneof(
    changedText([line]),
    changedJson(JSON.parse(line)).map((json) => JSON.stringify(json)),
  )
  fc.assert(
    fc.property(lines, (text) => {
      const read = readAnchor(text)
      if (read === undefined) return
      expect(read.hash).toHaveLength(32)
      expect(read.signedAt.getTime()).not.toBeNaN()
      const { n, hash, signedAt, kid, signature } = read
      const isSame =
        n === signed.n &&
        hash.equals(signed.hash) &&
        signedAt.getTime() === signed.signedAt.getTime() &&
        kid === signed.kid &&
        signature.equals(signed.signature)
      expect(isAnchorSigned(read, isSigned)).toBe(isSame)
    }),
    { numRuns: 1_000 },
  )
})
