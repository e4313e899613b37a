import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { publicKeyFault, type KeyKind } from './public-key.ts'
import { keyAtInfinity, keylessKeys, smallOrderEncodings } from './testing.ts'

const kinds: readonly KeyKind[] = ['RSA', 'P-256', 'P-384', 'secp256k1', 'Ed25519']

const faultOf = (key: KeyObject, accepted = kinds) => publicKeyFault(key, accepted)
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey

/** An odd number of that many bits: whether it has two prime factors is not judged. */
function rsaOf(bits: number, exponent: bigint): KeyObject {
  const modulus = ((1n << BigInt(bits - 1)) | 1n).toString(16)
  const e = exponent.toString(16)
  const encoded = (hex: string) =>
    Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'RSA', n: encoded(modulus), e: encoded(e) }, format: 'jwk' })
}

test('A key of each kind is accepted where it can be used, and refused elsewhere', () => {
  const made: Readonly<Record<KeyKind, KeyObject>> = {
    RSA: rsa,
    'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
    'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey,
    secp256k1: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey,
    Ed25519: generateKeyPairSync('ed25519').publicKey,
  }
  for (const kind of kinds) {
    expect(faultOf(made[kind])).toBeUndefined()
    expect(faultOf(made[kind], [kind])).toBeUndefined()
    const others = kinds.filter((other) => other !== kind)
    expect(faultOf(made[kind], others)).toMatch(/^not /)
  }
})

test('Keys of kinds that nothing of the hub uses are refused', () => {
  const others = [
    generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    generateKeyPairSync('ed448'),
    generateKeyPairSync('x25519'),
    generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }),
  ]
  for (const { publicKey } of others) {
    expect(faultOf(publicKey)).toBe('not RSA, P-256, P-384, secp256k1 or Ed25519')
  }
})

describe('RSA', () => {
  test('RSA has 2048 to 4096 bits', () => {
    for (const bits of [2_048, 3_072, 4_096]) expect(faultOf(rsaOf(bits, 65_537n))).toBeUndefined()
    for (const bits of [512, 1_024, 2_047]) {
      expect(faultOf(rsaOf(bits, 65_537n))).toBe(`RSA of ${bits} bits: at least 2048`)
    }
    expect(faultOf(rsaOf(4_097, 65_537n))).toBe('RSA of 4097 bits: at most 4096')
  })

  test('Its exponent is an odd number from 3 to 2^32', () => {
    for (const e of [3n, 5n, 65_537n, 2n ** 32n - 1n]) {
      expect(faultOf(rsaOf(2_048, e))).toBeUndefined()
    }
    for (const e of [1n, 2n, 2n ** 32n + 1n, 2n ** 64n + 1n]) {
      expect(faultOf(rsaOf(2_048, e))).toBe('an RSA exponent below 3 or above 2^32')
    }
    for (const e of [4n, 65_536n]) expect(faultOf(rsaOf(2_048, e))).toBe('an even RSA exponent')
  })
})

test('An EC key at infinity is refused, and does not end the process', () => {
  const key = createPublicKey({ key: keyAtInfinity, format: 'der', type: 'spki' })
  expect(faultOf(key)).toBe('not a point of its curve')
})

test('Each encoding of a point of small order is refused, and of a point in a second encoding', () => {
  for (const encoded of smallOrderEncodings) expect(faultOf(ed25519Of(encoded))).toMatch(/point/)
  // y = p + 3, which decoders read as 3.
  expect(faultOf(ed25519Of(`f0${'ff'.repeat(30)}7f`))).toBe(
    'not the encoding of a point of its curve',
  )
})

test('No signature verifies that was made without the private key of an acceptable key', () => {
  const own = [rsa, generateKeyPairSync('ed25519').publicKey]
  const keyless = keylessKeys()
  const shown = new Set<string>()
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
      const text = Buffer.from(bytes)
      for (const { name, key, signatures } of keyless) {
        const made = signatures(text)
        if (made.some((signature) => isSigned(key, text, signature))) shown.add(name)
        expect(faultOf(key)).toBeDefined()
        const same = own.filter((one) => one.asymmetricKeyType === key.asymmetricKeyType)
        for (const signature of made) {
          for (const one of same) expect(isSigned(one, text, signature)).toBe(false)
        }
      }
    }),
    { numRuns: 30 },
  )
  // What is refused is refused for a reason: with each of these keys a signature verified. The newest
  // OpenSSL refuses points of small order by itself.
  const namesOf = (type: string) =>
    keyless.filter(({ key }) => key.asymmetricKeyType === type).map(({ name }) => name)
  expect([...shown]).toEqual(expect.arrayContaining(namesOf('rsa')))
  const points = namesOf('ed25519')
  expect([0, points.length]).toContain(points.filter((name) => shown.has(name)).length)
})

function isSigned(key: KeyObject, text: Buffer, signature: Buffer): boolean {
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', text, key, signature)
}

function ed25519Of(encoded: string): KeyObject {
  const x = Buffer.from(encoded, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
