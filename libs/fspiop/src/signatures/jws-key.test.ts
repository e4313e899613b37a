import { describe, expect, test } from '@jest/globals'
import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { calculateJwkThumbprint } from 'jose'
import { type KeyUse, readPublicKey } from './jws-key.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const certificate = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBfTCCASOgAwIBAgIUR/LB511fIe0rywt7GnW/T1DKFPMwCgYIKoZIzj0EAwIw',
  'EzERMA8GA1UEAwwIcGF5ZXJmc3AwIBcNMjYxMTIxMTQ1NzEyWhgPMjEyNjEwMjgx',
  'NDU3MTJaMBMxETAPBgNVBAMMCHBheWVyZnNwMFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAEczzZpCtxKEudWU0iwWdL2RBOgGofReMijLxbQQjqIhpzg1UNSW/qkxgZ',
  'e4KZas1XchzCfUnUJ8RvxFNGkmvG9KNTMFEwHQYDVR0OBBYEFDLUN8MGk7WtMO0a',
  'WeGjNRlV6T9ZMB8GA1UdIwQYMBaAFDLUN8MGk7WtMO0aWeGjNRlV6T9ZMA8GA1Ud',
  'EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgDgCGBlUFNWiYpsGXXB8s7Ma4',
  'Nfu65J7jOtsy5X0xlCoCIQCY6cVmCsCtcGkt92nvQ25TClRRYOSg7gNHfn2jLyJE',
  'qQ==',
  '-----END CERTIFICATE-----',
].join('\n')

function pem(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }))
}

function jwk(key: KeyObject): JsonWebKey {
  return key.export({ format: 'jwk' })
}

async function faultOf(source: string | object, use: KeyUse = 'sig'): Promise<string | undefined> {
  const reading = await readPublicKey(source, use)
  return 'fault' in reading ? reading.fault : undefined
}

describe('a public key', () => {
  test.each([
    ['PEM', pem(rsa.publicKey)],
    ['PEM of PKCS #1', String(rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }))],
    ['the text of a JWK', JSON.stringify(jwk(rsa.publicKey))],
    ['a JWK', jwk(rsa.publicKey)],
    ['a JWK with its use and algorithm', { ...jwk(rsa.publicKey), use: 'sig', alg: 'RS256' }],
  ])('A public key is read from %s, and named by its thumbprint', async (_, source) => {
    const thumbprint = await calculateJwkThumbprint(jwk(rsa.publicKey))
    const reading = await readPublicKey(source, 'sig')
    expect(reading).toMatchObject({ kid: thumbprint, thumbprint })
    expect('key' in reading && reading.key.equals(rsa.publicKey)).toBe(true)
  })

  test('A public key has the thumbprint of the example of RFC 7638', async () => {
    const example = {
      kty: 'RSA',
      n:
        '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECP' +
        'ebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY' +
        '368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0f' +
        'M4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      alg: 'RS256',
      kid: '2011-04-29',
    }
    expect(await readPublicKey(example, 'sig')).toMatchObject({
      kid: '2011-04-29',
      thumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    })
  })

  test('A public key is read from a certificate, and may lie on P-256', async () => {
    expect(await faultOf(certificate)).toBeUndefined()
    expect(await faultOf(pem(ec.publicKey))).toBeUndefined()
    expect(await faultOf(jwk(ec.publicKey))).toBeUndefined()
  })

  test('A public key for encryption is RSA, with the algorithm of the API', async () => {
    expect(await faultOf(pem(rsa.publicKey), 'enc')).toBeUndefined()
    expect(await faultOf({ ...jwk(rsa.publicKey), alg: 'RSA-OAEP-256' }, 'enc')).toBeUndefined()
    expect(await faultOf(pem(ec.publicKey), 'enc')).toBe('not RSA')
  })

  test.each([
    ['a private key', String(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })), /private/],
    ['a private JWK', jwk(rsa.privateKey), /private/],
    ['a private JWK of a curve', JSON.stringify(jwk(ec.privateKey)), /private/],
    ['a secret', { kty: 'oct', k: 'c2VjcmV0' }, /private/],
    ['two keys', pem(rsa.publicKey) + pem(ec.publicKey), /more than one/],
    ['a text', 'ssh-rsa AAAA', /^neither PEM nor JWK$/],
    ['nothing', '', /^neither PEM nor JWK$/],
    ['JSON of no object', '1', /^neither PEM nor JWK$/],
    ['a list', '[]', /can be read/],
    ['an empty object', {}, /can be read/],
    ['a damaged PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /can be read/],
    ['an endless text', 'x'.repeat(16_385), /^longer than 16384/],
    ['a key for the other use', { ...jwk(rsa.publicKey), use: 'enc' }, /^its use is not sig$/],
    [
      'a key for RSA-PSS alone',
      { ...jwk(rsa.publicKey), alg: 'PS256' },
      /^its alg is none of RS256/,
    ],
    ['an empty kid', { ...jwk(rsa.publicKey), kid: '' }, /^its kid/],
    ['a number for a kid', { ...jwk(rsa.publicKey), kid: 1 }, /^its kid/],
    ['an exponent of 1', { ...jwk(rsa.publicKey), e: 'AQ' }, /exponent/],
    ['an endless exponent', { ...jwk(rsa.publicKey), e: 'AQAAAAAAAAAB' }, /exponent/],
  ])('A public key is refused when it is %s', async (_, source, fault) => {
    expect(await faultOf(source)).toMatch(fault)
  })

  test.each([
    [1024, /^RSA of 1024 bits: at least 2048$/],
    [2047, /^RSA of 2047 bits: at least 2048$/],
    [3080, /^RSA of 3080 bits: at most 3072/],
  ])('A public key of %i bits is refused', async (modulusLength, fault) => {
    const modulus = Buffer.alloc(Math.ceil(modulusLength / 8), 0xff)
    modulus[0] = 0xff >> (modulus.length * 8 - modulusLength)
    const source = { kty: 'RSA', e: 'AQAB', n: modulus.toString('base64url') }
    expect(await faultOf(source)).toMatch(fault)
    expect(await faultOf(source, 'enc')).toMatch(fault)
  })

  test.each([
    ['another curve', generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey],
    ['Ed25519', generateKeyPairSync('ed25519').publicKey],
  ])('A public key of %s is refused', async (_, key) => {
    expect(await faultOf(pem(key))).toBe('not RSA or P-256')
    expect(await faultOf(jwk(key))).toBe('not RSA or P-256')
  })

  test('A public key from any input is read or refused', async () => {
    const source = fc.oneof(fc.string(), fc.json(), fc.object())
    await fc.assert(
      fc.asyncProperty(source, async (any) => {
        expect(await faultOf(any)).toEqual(expect.any(String))
      }),
    )
  })
})
