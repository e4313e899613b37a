/** Signed requests and keys of components that are almost valid: read as what was signed, or not at all. */
import { changedJson, changedText } from '@causeway/fuzzing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keyIdOf, publicComponentKey, verifyComponentSignature } from './component-key.ts'
import { readSignature, signRequest, type RequestToSign } from './signed-request.ts'
import { makeComponentKey, type TestComponentKey } from './testing.ts'

const numRuns = 500
const asked = { method: 'GET', path: '/config/secrets/quoting/values' }

const signatureOf = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url')

let one: TestComponentKey
beforeAll(async () => {
  one = await makeComponentKey()
})
afterAll(() => one.remove())

test('A changed signature is not read, or is over the same request and read without a key of its own', () => {
  const { timestamp, nonce, signature } = signRequest(one.key, 'quoting', asked, new Date(0))
  const request: RequestToSign = { ...asked, timestamp, nonce }
  const [header = '', payload = '', bytes = ''] = signature.split('.')
  const changed = fc.oneof(
    changedText([signature]),
    changedJson({ alg: 'ES256', kid: one.key.id }).map((json) =>
      [Buffer.from(JSON.stringify(json)).toString('base64url'), payload, bytes].join('.'),
    ),
  )
  fc.assert(
    fc.property(changed, (text) => {
      const read = readSignature(text, request)
      if (read === undefined) return
      expect(text.length).toBeLessThanOrEqual(2_048)
      expect(text.split('.')[1]).toBe(payload)
      const isSame = text.startsWith(`${header}.`) && read.signature.equals(signatureOf(signature))
      expect(one.verifies(read.content, read.signature)).toBe(isSame)
    }),
    { numRuns },
  )
})

test('A changed public key is not read, or is a key on P-256 that the signature is not of', () => {
  const content = Buffer.from('content')
  const signature = one.key.sign(content)
  fc.assert(
    fc.property(changedText([one.key.publicKey]), (pem) => {
      const key = publicComponentKey(pem)
      if (key === undefined) return
      const isSame = keyIdOf(key) === one.key.id
      expect(verifyComponentSignature(key, content, signature)).toBe(isSame)
    }),
    { numRuns },
  )
})
