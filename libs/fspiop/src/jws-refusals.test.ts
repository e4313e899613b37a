import { describe, expect, test } from '@jest/globals'
import { readSignature, signerOf } from './signatures/jws.ts'
import {
  now,
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
  signedOver,
} from './testing/signatures.ts'

describe('A refusal names what differs', () => {
  const keys = [keyOf(rsa.publicKey)]

  test.each([
    [
      { 'fspiop-uri': '/x' },
      {},
      'FSPIOP-URI: header says /x, protected header says /transfers/11436b17-c690...',
    ],
    [
      { 'fspiop-uri': `${sent.uri}/error` },
      {},
      'FSPIOP-URI: header says ...fb9d/error, protected header says ...fb9d',
    ],
    [
      {},
      { target: `${sent.uri}?a=1` },
      'FSPIOP-URI: header says ...fb9d, request says ...fb9d?a=1',
    ],
    [{}, { method: 'POST' }, 'FSPIOP-HTTP-Method: header says PUT, request says POST'],
    [
      { 'fspiop-http-method': 'put' },
      {},
      'FSPIOP-HTTP-Method: header says put, protected header says PUT',
    ],
    [
      { 'fspiop-source': 'otherfsp' },
      {},
      'FSPIOP-Source: header says otherfsp, protected header says payeefsp',
    ],
    [
      { 'fspiop-destination': 'otherfsp' },
      {},
      'FSPIOP-Destination: header says otherfsp, protected header says payerfsp',
    ],
    [
      { 'fspiop-destination': undefined },
      {},
      'FSPIOP-Destination: protected, but header is missing',
    ],
    [
      { date: 'Tue, 15 Nov 2022 10:14:03 GMT' },
      {},
      'Date: header says ...14:03 GMT, protected header says ...14:02 GMT',
    ],
    [{ 'fspiop-uri': undefined }, {}, 'FSPIOP-URI: header is missing'],
    [{ 'fspiop-http-method': undefined }, {}, 'FSPIOP-HTTP-Method: header is missing'],
    [{ 'fspiop-encryption': '{}' }, {}, 'FSPIOP-Encryption: protected header lacks it'],
  ])('With headers %j and request %j the refusal is: %s', async (headers, message, detail) => {
    expect(verdictOf(await signed(), received(headers, message), keys)).toBe(`400/3105 ${detail}`)
  })

  test('A signature protects any header that it names, in any case of the name', async () => {
    const header = await signedOver({ ...parameters, 'content-TYPE': 'text/plain' })
    expect(verdictOf(header, received({ 'content-type': 'text/plain' }), keys)).toBe('verified')
    expect(verdictOf(header, received({ 'content-type': 'text/html' }), keys)).toBe(
      '400/3105 content-TYPE: header says text/html, protected header says text/plain',
    )
  })

  test('A header that was sent twice is compared with both values', async () => {
    const header = await signedOver({ ...parameters, 'X-A': '1, 2' })
    const message = received()
    const twice = { ...message, headers: { ...message.headers, 'x-a': ['1', '2'] } }
    expect(verdictOf(header, twice, keys)).toBe('verified')
  })

  test.each(['FSPIOP-URI', 'FSPIOP-HTTP-Method', 'FSPIOP-Source'] as const)(
    'A signature is refused when %s is not protected',
    async (name) => {
      const { [name]: _, ...rest } = parameters
      const expected = `400/3105 ${name}: protected header lacks it`
      expect(verdictOf(await signedOver(rest), received(), keys)).toBe(expected)
      const lowerCase = { ...rest, [name.toLowerCase()]: parameters[name] }
      expect(verdictOf(await signedOver(lowerCase), received(), keys)).toBe(expected)
    },
  )

  test('Parameters about the signature are not headers, and neither are inherited names', async () => {
    const about = { typ: 'JOSE', cty: 'json', 'x5t#S256': 'x', ...parameters }
    expect(verdictOf(await signedOver(about), received(), keys)).toBe('verified')
    for (const name of ['constructor', 'toString', 'jwk']) {
      expect(verdictOf(await signedOver({ ...parameters, [name]: 'x' }), received(), keys)).toBe(
        `400/3105 ${name}: protected, but header is missing`,
      )
    }
  })
})

describe('of several keys', () => {
  const before = new Date(now.getTime() - 1)
  const first = keyOf(rsa.publicKey)
  const second = keyOf(otherRsa.publicKey, { kid: 'second' })

  test.each([
    ['the first', rsa.privateKey, 'first'],
    ['the second', otherRsa.privateKey, 'second'],
  ])('%s verifies, named or not', async (_, key, kid) => {
    for (const name of [undefined, kid]) {
      const header = await signed({ key, kid: name })
      expect(verdictOf(header, received(), [first, second])).toBe('verified')
      const parsed = readSignature(header)
      const signer =
        'code' in parsed ? undefined : signerOf(parsed, sent.body, [first, second], now)
      expect(signer?.kid).toBe(kid)
    }
  })

  test('Of several keys the named one alone counts', async () => {
    const header = await signed({ kid: 'second' })
    expect(verdictOf(header, received(), [first, second])).toMatch(/another key signed$/)
    expect(verdictOf(header, received(), [first])).toBe(
      '400/3105 kid second: FSPIOP-Source has no such key',
    )
  })

  test('Of several keys an old one remains valid next to a new one of another kind', async () => {
    const keys = [keyOf(ec.publicKey, { kid: 'new' }), first]
    expect(verdictOf(await signed(), received(), keys, all)).toBe('verified')
    const header = await signed({ alg: 'ES256', key: ec.privateKey })
    expect(verdictOf(header, received(), keys, all)).toBe('verified')
  })

  test.each([
    ['not yet valid', { validFrom: new Date(now.getTime() + 1) }],
    ['expired', { validFrom: new Date(0), validTo: before }],
    ['expired at this very moment', { validTo: now }],
  ])('Of several keys one that is %s does not verify', async (_, validity) => {
    const keys = [keyOf(rsa.publicKey, validity)]
    expect(verdictOf(await signed(), received(), keys)).toBe(
      '400/3105 FSPIOP-Source has no key that is valid now',
    )
    expect(verdictOf(await signed({ kid: 'first' }), received(), keys)).toBe(
      '400/3105 kid first: FSPIOP-Source has no such key that is valid now',
    )
    expect(verdictOf(await signed(), received(), [...keys, second])).toMatch(/another key signed$/)
  })

  test('Of several keys one verifies from its first moment to before its end', async () => {
    const keys = [keyOf(rsa.publicKey, { validFrom: now, validTo: new Date(now.getTime() + 1) })]
    expect(verdictOf(await signed(), received(), keys)).toBe('verified')
  })

  test('Without keys no signature verifies', async () => {
    expect(verdictOf(await signed(), received(), [])).toBe('400/3105 FSPIOP-Source has no key')
  })
})
