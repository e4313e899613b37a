import { describe, expect, test } from '@jest/globals'
import { createHmac, createSign, type JsonWebKey } from 'node:crypto'
import fc from 'fast-check'
import { FlattenedSign, flattenedVerify } from 'jose'
import { readSignature } from './signatures/jws.ts'
import {
  rsa,
  otherRsa,
  ec,
  all,
  sent,
  received,
  keyOf,
  verdictOf,
  signed,
  parameters,
  headerWith,
} from './testing/signatures.ts'

describe('confusion of algorithms is refused', () => {
  const pem = String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))
  const keys = [keyOf(rsa.publicKey), keyOf(ec.publicKey, { kid: 'second' })]

  test.each(['HS256', 'HS384', 'HS512'])(
    'A signature of %s with the public key for a secret is refused',
    (alg) => {
      const protectedHeader = Buffer.from(JSON.stringify({ alg, ...parameters })).toString(
        'base64url',
      )
      const signature = createHmac(alg.replace('HS', 'sha'), pem)
        .update(`${protectedHeader}.${sent.body.toString('base64url')}`)
        .digest('base64url')
      const header = JSON.stringify({ signature, protectedHeader })
      expect(verdictOf(header, received(), keys, all)).toMatch(
        /^400\/3105 protected header: alg is none of/,
      )
    },
  )

  test.each([
    'none',
    'None',
    '',
    'rs256',
    'PS256',
    'EdDSA',
    'ES384',
    'toString',
    1,
    null,
    ['RS256'],
  ])('A signature with the algorithm %j is refused', (alg) => {
    expect(verdictOf(headerWith({ alg, ...parameters }), received(), keys, all)).toMatch(
      /: alg is none/,
    )
  })

  test('ES256 is refused where it is not agreed on, and so is no alg at all', async () => {
    const header = await signed({ alg: 'ES256', key: ec.privateKey })
    expect(verdictOf(header, received(), keys)).toBe(
      '400/3105 protected header: alg is none of RS256, RS384, RS512',
    )
    expect(verdictOf(headerWith(parameters), received(), keys)).toMatch(/: alg is none/)
  })

  test.each([
    ['RS256', ec],
    ['ES256', rsa],
  ] as const)('%s named over a key of the other kind', async (alg, { publicKey, privateKey }) => {
    const protectedHeader = Buffer.from(JSON.stringify({ alg, ...parameters })).toString(
      'base64url',
    )
    const signature = createSign('sha256')
      .update(`${protectedHeader}.${sent.body.toString('base64url')}`)
      .sign({ key: privateKey, dsaEncoding: 'ieee-p1363' }, 'base64url')
    const header = JSON.stringify({ signature, protectedHeader })
    expect(verdictOf(header, received(), [keyOf(publicKey)], all)).toBe(
      `400/3105 FSPIOP-Source has no key for ${alg}`,
    )
    expect(verdictOf(header, received(), keys, all)).toMatch(/another key signed$/)
    await expect(
      flattenedVerify(
        { signature, protected: protectedHeader, payload: sent.body.toString('base64url') },
        publicKey,
      ),
      // By the key's algorithm in Node.js 20, by its type in 24.
    ).rejects.toThrow(/"alg"|Invalid key type/)
  })

  test('ES256 with a signature of any length, none of them right', () => {
    for (const length of [1, 63, 64, 65, 72, 256, 384]) {
      const signature = Buffer.alloc(length, 1).toString('base64url')
      const header = headerWith({ alg: 'ES256', ...parameters }, signature)
      expect(verdictOf(header, received(), keys, all)).toMatch(/another key signed$/)
    }
  })

  test('A key inside the message is never used', async () => {
    const jwk: JsonWebKey = otherRsa.publicKey.export({ format: 'jwk' })
    const { signature, protected: protectedHeader } = await new FlattenedSign(sent.body)
      .setProtectedHeader({ alg: 'RS256', jwk, ...parameters })
      .sign(otherRsa.privateKey)
    const header = JSON.stringify({ signature, protectedHeader })
    expect(verdictOf(header, received(), keys)).toBe(
      '400/3105 protected header: jwk is not the value of a header',
    )
  })
})

describe('the signature header', () => {
  const good = { alg: 'RS256', ...parameters }

  test.each([
    ['no JSON', 'x', /is not a JSON object$/],
    ['a list', '[]', /is not a JSON object$/],
    ['null', 'null', /is not a JSON object$/],
    ['an empty object', '{}', /^400\/3105 signature is not base64url/],
    ['no protected header', '{"signature":"AAAA"}', /^400\/3105 protectedHeader is not base64url/],
    ['a number for a signature', '{"signature":1,"protectedHeader":"e30"}', /signature is not/],
    ['an empty signature', headerWith(good, ''), /signature is not/],
    ['a padded signature', headerWith(good, 'AA=='), /signature is not/],
    ['a signature in base64', headerWith(good, 'AA+/'), /signature is not/],
    ['a signature of one spare character', headerWith(good, 'AAAAA'), /signature is not/],
    ['a signature with a line break', headerWith(good, 'AAAA\n'), /signature is not/],
    ['a signature of 513 characters', headerWith(good, 'A'.repeat(513)), /signature is not/],
    ['a huge protected header', headerWith('x'.repeat(24_577)), /protectedHeader is not/],
    ['a huge header', `${' '.repeat(65_536)}${headerWith(good)}`, /is not a JSON object$/],
    ['a protected header of no JSON', headerWith('alg'), /not a JSON object in UTF-8$/],
    ['a protected header of a list', headerWith([]), /not a JSON object in UTF-8$/],
    ['a protected header with a BOM', headerWith(`\ufeff${JSON.stringify(good)}`), /in UTF-8$/],
    ['a kid of nothing', headerWith({ ...good, kid: '' }), /kid is not/],
    ['a kid of a number', headerWith({ ...good, kid: 1 }), /kid is not/],
    ['an endless kid', headerWith({ ...good, kid: 'k'.repeat(257) }), /kid is not/],
    ['crit', headerWith({ ...good, crit: ['exp'] }), /crit lists extensions/],
    ['empty crit', headerWith({ ...good, crit: [] }), /crit lists extensions/],
    ['a number for a parameter', headerWith({ ...good, 'X-A': 1 }), /X-A is not the value/],
    [
      'a line break in a parameter',
      headerWith({ ...good, 'X-A': 'a\r\nb' }),
      /X-A is not the value/,
    ],
    ['a blank in a name', headerWith({ ...good, 'X A': '1' }), /not named like a header/],
    ['b64', headerWith({ ...good, b64: false }), /b64 is not the value/],
  ])('The signature header of %s is refused', (_, header, expected) => {
    expect(verdictOf(header, received(), [keyOf(rsa.publicKey)])).toMatch(expected)
  })

  test('The signature header with a protected header that is no UTF-8 is refused', () => {
    const protectedHeader = Buffer.from('{"alg":"RS256","typ":"\xff"}', 'latin1').toString(
      'base64url',
    )
    expect(readSignature(JSON.stringify({ signature: 'AAAA', protectedHeader }))).toMatchObject({
      code: '3105',
    })
  })

  test('The signature header is read up to its bounds', () => {
    const protectedHeader = Buffer.from(JSON.stringify(good).padEnd(24_576)).toString('base64url')
    expect(protectedHeader).toHaveLength(32_768)
    const header = JSON.stringify({ signature: 'A'.repeat(512), protectedHeader })
    expect(readSignature(header)).toEqual({
      algorithm: 'RS256',
      kid: undefined,
      protectedHeader,
      parameters: new Map(Object.entries(parameters)),
      signature: Buffer.alloc(384),
    })
  })

  test('The signature header of any text or JSON is read or refused, and never verifies', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => headerWith(json)),
      fc.object().map((members) => headerWith({ ...good, ...members })),
    )
    fc.assert(
      fc.property(anything, (header) => {
        expect(verdictOf(header, received(), [keyOf(rsa.publicKey)])).toMatch(/^400\/3105 ./)
      }),
    )
  })
})
