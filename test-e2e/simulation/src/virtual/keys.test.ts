import { sign, verify } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openChance } from './chance.ts'
import { seededKeyPairs } from './keys.ts'

function pairsOf(seed: number) {
  const chance = openChance(seed)
  return seededKeyPairs((length) => Buffer.from(Array.from({ length }, () => chance.below(256))))
}

const derOf = (seed: number, type: string) =>
  pairsOf(seed)
    .generateKeyPairSync(type, { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'der' })
    .toString('hex')

test.each(['ec', 'ed25519'])('The same seed gives the same key pair of the type %s', (type) => {
  expect(derOf(1, type)).toBe(derOf(1, type))
  expect(derOf(2, type)).not.toBe(derOf(1, type))
})

test.each<[string, string | null]>([
  ['ec', 'sha256'],
  ['ed25519', null],
])(
  'What the private key of a pair of the type %s signs, its public key verifies',
  (type, digest) => {
    const { privateKey, publicKey } = pairsOf(1).generateKeyPairSync(type, {
      namedCurve: 'prime256v1',
    })
    const message = Buffer.from('a message')
    expect(verify(digest, message, publicKey, sign(digest, message, privateKey))).toBe(true)
  },
)

test('A key pair that no seed decides is refused', () => {
  expect(() => pairsOf(1).generateKeyPairSync('rsa')).toThrow('no seed decides')
  expect(() => pairsOf(1).generateKeyPairSync('ec', { namedCurve: 'P-384' })).toThrow('P-384')
})
