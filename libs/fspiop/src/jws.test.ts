import { describe, expect, test } from '@jest/globals'
import {
  createHmac,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto'
import fc from 'fast-check'
import { FlattenedSign, flattenedVerify } from 'jose'
import type { Refusal } from './errors.ts'
import {
  type MessageToSign,
  readSignature,
  type ReceivedMessage,
  rsaAlgorithms,
  type SignatureAlgorithm,
  signatureHeader,
  signerOf,
  verifySignature,
  type VerificationKey,
} from './jws.ts'

const now = new Date('2022-11-15T10:14:03Z')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const all: readonly SignatureAlgorithm[] = [...rsaAlgorithms, 'ES256']

const vector = {
  jwk: {
    kty: 'RSA',
    e: 'AQAB',
    n:
      'uP7hap-cPWdX2D5CxFaBW_ynAtd6PeUQsd5Q1xxIH1sHwpOER_2x3CU98nH5Y5qaEFapybzzFtvmxCtOZYO5u9halpP6Wm00' +
      'sNp4tRD48CWayxQLX-6ZPdN-1HnXvycWpNpunpjdTOpii9M31Cpif7gbVShWV5WqQLqnE8h2n-Ylp7ff4cRcUQ2cnCB5BS9m' +
      'Gt4-xZCyVv9DXgC-nr2I7EQGnzjfd9sIsd2kWXJytcQ5LJvqZL-7_ghPRrftBoRiwjvO7qKqczvvNh0UKFaNEi2fQs86udlS' +
      'sJYSFUNExkaEpU9SmqQSzjRlsEbnyULKa69eMgppJqhIrsxaJz3_fQ',
  },
  body: Buffer.from(
    '{"fulfilment":"mhPUT9ZAwd-BXLfeSd7-YPh46rBWRNBiTCSWjpku90s",' +
      '"completedTimestamp":"2022-11-15T10:14:02.000Z","transferState":"COMMITTED"}',
  ),
  header: JSON.stringify({
    signature:
      'mDo83OJUqxJtjP8gD26F5BUTJW39nW3xf-b-D3R7cKLBiVUWjI0uwyaY7XT1zrG6tznVMQ-_j3f-l-J1BiswHslK8njABRpU' +
      'xZpTZ1VeHQj9o_hLjx5trVpdkMkzLC2w6YFdFpo_-mb7sEmqIAbCGt-wCRqKoLB5iShDe7bmFJEt68YskQcsQ7mNN8rEs8Xd' +
      'AHAnZb5mJKteauDsgqXsXqMjyjnCGO_U2jYJYXINweWK_qc_PQzqSX8zLUX6VTlcbHrcyli5fznG6Nv8qBhNXSuBboQtM1u5' +
      '10HM9cEWsl5b3mvAj09bdar2NiV29xcWL-habVTUJ6t_7lwtDyYDUw',
    protectedHeader:
      'eyJhbGciOiJSUzI1NiIsIkZTUElPUC1VUkkiOiIvdHJhbnNmZXJzLzExNDM2YjE3LWM2OTAtNGEzMC04NTA1LTQyYTJjNGVh' +
      'ZmI5ZCIsIkZTUElPUC1IVFRQLU1ldGhvZCI6IlBVVCIsIkZTUElPUC1Tb3VyY2UiOiJwYXllZWZzcCIsIkZTUElPUC1EZXN0' +
      'aW5hdGlvbiI6InBheWVyZnNwIiwiRGF0ZSI6IlR1ZSwgMTUgTm92IDIwMjIgMTA6MTQ6MDIgR01UIn0',
  }),
}

/** What the vector's sender sent, and what is signed in the other tests. */
const sent = {
  method: 'PUT',
  uri: '/transfers/11436b17-c690-4a30-8505-42a2c4eafb9d',
  source: 'payeefsp',
  destination: 'payerfsp',
  date: 'Tue, 15 Nov 2022 10:14:02 GMT',
  body: vector.body,
} as const

function received(
  headers: Readonly<Record<string, string | undefined>> = {},
  message: Partial<ReceivedMessage> = {},
): ReceivedMessage {
  const complete = {
    date: sent.date,
    'content-type': 'application/vnd.interoperability.transfers+json;version=1.1',
    'fspiop-source': sent.source,
    'fspiop-destination': sent.destination,
    'fspiop-uri': sent.uri,
    'fspiop-http-method': sent.method,
  }
  return {
    method: sent.method,
    target: sent.uri,
    headers: { ...complete, ...headers },
    body: sent.body,
    ...message,
  }
}

function keyOf(key: KeyObject, options: Partial<VerificationKey> = {}): VerificationKey {
  return { kid: 'first', key, validFrom: undefined, validTo: undefined, ...options }
}

function told(
  header: string,
  message: ReceivedMessage,
  keys: readonly VerificationKey[],
  algorithms?: readonly SignatureAlgorithm[],
): string {
  const parsed = readSignature(header, algorithms)
  const refused: Refusal | undefined =
    'code' in parsed ? parsed : verifySignature(parsed, message, keys, { now })
  return refused === undefined ? 'verified' : `${refused.status}/${refused.code} ${refused.detail}`
}

function signed(changes: Partial<MessageToSign> = {}): Promise<string> {
  return signatureHeader({ alg: 'RS256', key: rsa.privateKey, ...sent, ...changes })
}

const parameters = {
  'FSPIOP-URI': sent.uri,
  'FSPIOP-HTTP-Method': sent.method,
  'FSPIOP-Source': sent.source,
}

/** Signs with a protected header as given, right or wrong. */
async function signedOver(protectedHeader: Readonly<Record<string, unknown>>): Promise<string> {
  const { signature, protected: encoded } = await new FlattenedSign(sent.body)
    .setProtectedHeader({ alg: 'RS256', ...protectedHeader })
    .sign(rsa.privateKey)
  return JSON.stringify({ signature, protectedHeader: encoded })
}

function headerWith(protectedHeader: unknown, signature = 'AAAA'): string {
  const text =
    typeof protectedHeader === 'string' ? protectedHeader : JSON.stringify(protectedHeader)
  return JSON.stringify({ signature, protectedHeader: Buffer.from(text).toString('base64url') })
}

describe('a signature', () => {
  const vectorKeys = [keyOf(createPublicKey({ key: vector.jwk, format: 'jwk' }))]

  test('made elsewhere over known bytes verifies', () => {
    expect(told(vector.header, received(), vectorKeys)).toBe('verified')
  })

  test('is over bytes: the same JSON written another way does not verify', () => {
    const body = Buffer.from(JSON.stringify(JSON.parse(vector.body.toString()), undefined, 2))
    expect(told(vector.header, received({}, { body }), vectorKeys)).toBe(
      '400/3105 body or protected header was changed, or another key signed',
    )
    expect(
      told(
        vector.header,
        received({}, { body: Buffer.from(`${String(vector.body)}\n`) }),
        vectorKeys,
      ),
    ).toMatch(/3105/)
  })

  test.each(all)('of %s that is made here verifies here and with jose', async (alg) => {
    const { privateKey, publicKey } = alg === 'ES256' ? ec : rsa
    const header = await signed({ alg, key: privateKey, kid: 'first' })
    expect(told(header, received(), [keyOf(publicKey)], all)).toBe('verified')
    const { signature, protectedHeader } = JSON.parse(header) as Record<string, string>
    const verified = await flattenedVerify(
      {
        signature: signature ?? '',
        protected: protectedHeader ?? '',
        payload: sent.body.toString('base64url'),
      },
      publicKey,
    )
    expect(Buffer.from(verified.payload).equals(sent.body)).toBe(true)
    expect(verified.protectedHeader).toEqual({
      alg,
      kid: 'first',
      ...parameters,
      'FSPIOP-Destination': sent.destination,
      Date: sent.date,
    })
  })

  test('protects the encryption header when there is one, and no destination that is not known', async () => {
    const header = await signed({ encryption: '{"encryptedFields":{}}', destination: undefined })
    const keys = [keyOf(rsa.publicKey)]
    const encryption = { 'fspiop-encryption': '{"encryptedFields":{}}' }
    expect(told(header, received(encryption), keys)).toBe('verified')
    expect(told(header, received({ 'fspiop-encryption': '{}' }), keys)).toMatch(/FSPIOP-Encryption/)
    expect(told(header, received({ ...encryption, 'fspiop-destination': 'other' }), keys)).toBe(
      'verified',
    )
  })

  test('of a message without a body is over nothing', async () => {
    const header = await signed({ method: 'GET', body: Buffer.alloc(0) })
    const message = received(
      { 'fspiop-http-method': 'GET' },
      { method: 'GET', body: Buffer.alloc(0) },
    )
    expect(told(header, message, [keyOf(rsa.publicKey)])).toBe('verified')
    expect(told(header, { ...message, body: sent.body }, [keyOf(rsa.publicKey)])).toMatch(/3105/)
  })

  test('is not made with a key of another kind, nor over headers that no one would read', async () => {
    await expect(signed({ alg: 'RS256', key: ec.privateKey })).rejects.toThrow('not one for RS256')
    await expect(signed({ alg: 'ES256', key: rsa.privateKey })).rejects.toThrow('not one for ES256')
    await expect(signed({ encryption: 'x'.repeat(32_768) })).rejects.toThrow('too long')
  })
})

describe('an awkward body', () => {
  const bodies: readonly (readonly [string, string | Buffer])[] = [
    ['of Unicode', '{"name":"Zoë 😀 \u00a0\u2028 ሀ é e\u0301"}'],
    ['with escapes', '{"name":"\\u0041\\/\\u00e9\\ud83d\\ude00\\n"}'],
    ['with members out of order', '{"b":1,"10":2,"9":3,"a":4}'],
    ['with members twice', '{"a":1,"a":2}'],
    ['with large numbers', '{"a":12345678901234567890.10,"b":1e400,"c":-0,"d":1.0}'],
    ['with CRLF and blanks', '\r\n{ "a" : 1 }\r\n\t'],
    ['with a BOM', '\ufeff{"a":1}'],
    ['of no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
    ['of nothing', ''],
    ['of 1 MiB', Buffer.alloc(1_048_576, 'é')],
  ]
  const keys = [keyOf(rsa.publicKey)]

  test.each(bodies)('%s, signed with jose, verifies', async (_, text) => {
    const body = Buffer.from(text)
    const { signature, protected: protectedHeader } = await new FlattenedSign(body)
      .setProtectedHeader({ alg: 'RS256', ...parameters })
      .sign(rsa.privateKey)
    const header = JSON.stringify({ signature, protectedHeader })
    expect(told(header, received({}, { body }), keys)).toBe('verified')
  })

  test.each(bodies)('%s, signed step by step, verifies', (_, text) => {
    const body = Buffer.from(text)
    const json = `{ "FSPIOP-Source":"payeefsp",\n "alg":"RS512",\n ${JSON.stringify(parameters).slice(1)}`
    const protectedHeader = Buffer.from(json).toString('base64url')
    const signature = createSign('sha512')
      .update(`${protectedHeader}.${body.toString('base64url')}`)
      .sign(rsa.privateKey, 'base64url')
    const header = JSON.stringify({ protectedHeader, signature, more: 1 }, undefined, 1)
    expect(told(header, received({}, { body }), keys)).toBe('verified')
  })

  test.each(bodies)('%s, signed here, verifies', async (_, text) => {
    const body = Buffer.from(text)
    expect(told(await signed({ body }), received({}, { body }), keys)).toBe('verified')
  })
})

describe('one flipped bit', () => {
  const names = ['method', 'uri', 'source', 'destination', 'date'] as const
  const keys = [keyOf(rsa.publicKey)]
  const place = fc.nat()

  /** The bytes with one bit flipped, somewhere. */
  function flipped(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes)
    const index = (at >> 3) % copy.length
    copy[index] = (copy[index] ?? 0) ^ (1 << (at & 7))
    return copy
  }

  function flippedText(text: string, at: number): string {
    return flipped(Buffer.from(text, 'latin1'), at).toString('latin1')
  }

  function headersOf(message: typeof sent | Readonly<Record<(typeof names)[number], string>>) {
    return {
      date: message.date,
      'fspiop-source': message.source,
      'fspiop-destination': message.destination,
      'fspiop-uri': message.uri,
      'fspiop-http-method': message.method,
    }
  }

  test('in the body never verifies', async () => {
    const header = await signed()
    expect(told(header, received(), keys)).toBe('verified')
    fc.assert(
      fc.property(place, (at) => {
        const body = flipped(sent.body, at)
        expect(told(header, received({}, { body }), keys)).toMatch(/^400\/3105 body/)
      }),
    )
  })

  test('in the bytes or the text of the signature never verifies', async () => {
    const header = await signed()
    const { signature = '', protectedHeader } = JSON.parse(header) as Record<string, string>
    const bytes = Buffer.from(signature, 'base64url')
    fc.assert(
      fc.property(place, (at) => {
        const other = flipped(bytes, at).toString('base64url')
        const ofBytes = JSON.stringify({ signature: other, protectedHeader })
        expect(told(ofBytes, received(), keys)).toMatch(/^400\/3105 body/)
        const ofText = JSON.stringify({ signature: flippedText(signature, at), protectedHeader })
        expect(told(ofText, received(), keys)).toMatch(/^400\/3105/)
      }),
    )
    // The last character has four spare bits.
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=') {
      const other = signature.slice(0, -1) + last
      const outcome = told(JSON.stringify({ signature: other, protectedHeader }), received(), keys)
      expect(outcome === 'verified').toBe(other === signature)
    }
  })

  test('in the protected header never verifies', async () => {
    const { signature, protectedHeader = '' } = JSON.parse(await signed()) as Record<string, string>
    fc.assert(
      fc.property(place, (at) => {
        const ofText = flippedText(protectedHeader, at)
        const ofJson = flipped(Buffer.from(protectedHeader, 'base64url'), at).toString('base64url')
        for (const other of [ofText, ofJson]) {
          const header = JSON.stringify({ signature, protectedHeader: other })
          expect(told(header, received(), keys)).toMatch(/^400\/3105/)
        }
      }),
    )
  })

  test.each(names)('in the header of the %s alone, or in all but the signature', async (name) => {
    const { signature } = JSON.parse(await signed()) as Record<string, string>
    fc.assert(
      fc.property(place, (at) => {
        const changed = { ...sent, [name]: flippedText(sent[name], at) }
        const headers = headersOf(changed)
        const header = JSON.stringify({
          signature,
          protectedHeader: Buffer.from(
            JSON.stringify({
              alg: 'RS256',
              'FSPIOP-URI': changed.uri,
              'FSPIOP-HTTP-Method': changed.method,
              'FSPIOP-Source': changed.source,
              'FSPIOP-Destination': changed.destination,
              Date: changed.date,
            }),
          ).toString('base64url'),
        })
        const message = { method: changed.method, target: changed.uri, body: sent.body, headers }
        expect(told(header, message, keys)).toMatch(/^400\/3105/)
      }),
    )
    const header = await signed()
    fc.assert(
      fc.property(place, (at) => {
        const headers = headersOf({ ...sent, [name]: flippedText(sent[name], at) })
        expect(told(header, received(headers), keys)).toMatch(/^400\/3105 (FSPIOP-\w+|Date)/)
      }),
    )
  })

  test.each(['method', 'target'] as const)(
    'in the %s of the request never verifies',
    async (name) => {
      const header = await signed()
      fc.assert(
        fc.property(place, (at) => {
          const message = received()
          const changed = { ...message, [name]: flippedText(message[name], at) }
          expect(told(header, changed, keys)).toMatch(
            /^400\/3105 FSPIOP-(URI|HTTP-Method): header says/,
          )
        }),
      )
    },
  )
})

describe('a refusal says what differs', () => {
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
  ])('headers %j, request %j: %s', async (headers, message, detail) => {
    expect(told(await signed(), received(headers, message), keys)).toBe(`400/3105 ${detail}`)
  })

  test('whatever header is protected, in any case of its name', async () => {
    const header = await signedOver({ ...parameters, 'content-TYPE': 'text/plain' })
    expect(told(header, received({ 'content-type': 'text/plain' }), keys)).toBe('verified')
    expect(told(header, received({ 'content-type': 'text/html' }), keys)).toBe(
      '400/3105 content-TYPE: header says text/html, protected header says text/plain',
    )
  })

  test('of a header that came twice, both values', async () => {
    const header = await signedOver({ ...parameters, 'X-A': '1, 2' })
    const message = received()
    const twice = { ...message, headers: { ...message.headers, 'x-a': ['1', '2'] } }
    expect(told(header, twice, keys)).toBe('verified')
  })

  test.each(['FSPIOP-URI', 'FSPIOP-HTTP-Method', 'FSPIOP-Source'] as const)(
    'when %s is not protected',
    async (name) => {
      const { [name]: _, ...rest } = parameters
      const expected = `400/3105 ${name}: protected header lacks it`
      expect(told(await signedOver(rest), received(), keys)).toBe(expected)
      const lowerCase = { ...rest, [name.toLowerCase()]: parameters[name] }
      expect(told(await signedOver(lowerCase), received(), keys)).toBe(expected)
    },
  )

  test('parameters about the signature are no headers, and inherited names none either', async () => {
    const about = { typ: 'JOSE', cty: 'json', 'x5t#S256': 'x', ...parameters }
    expect(told(await signedOver(about), received(), keys)).toBe('verified')
    for (const name of ['constructor', 'toString', 'jwk']) {
      expect(told(await signedOver({ ...parameters, [name]: 'x' }), received(), keys)).toBe(
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
      expect(told(header, received(), [first, second])).toBe('verified')
      const parsed = readSignature(header)
      const signer =
        'code' in parsed ? undefined : signerOf(parsed, sent.body, [first, second], now)
      expect(signer?.kid).toBe(kid)
    }
  })

  test('the named one alone counts', async () => {
    const header = await signed({ kid: 'second' })
    expect(told(header, received(), [first, second])).toMatch(/another key signed$/)
    expect(told(header, received(), [first])).toBe(
      '400/3105 kid second: FSPIOP-Source has no such key',
    )
  })

  test('an old one goes on beside a new one of another kind', async () => {
    const keys = [keyOf(ec.publicKey, { kid: 'new' }), first]
    expect(told(await signed(), received(), keys, all)).toBe('verified')
    const header = await signed({ alg: 'ES256', key: ec.privateKey })
    expect(told(header, received(), keys, all)).toBe('verified')
  })

  test.each([
    ['not yet valid', { validFrom: new Date(now.getTime() + 1) }],
    ['expired', { validFrom: new Date(0), validTo: before }],
    ['expired at this very moment', { validTo: now }],
  ])('one that is %s does not verify', async (_, validity) => {
    const keys = [keyOf(rsa.publicKey, validity)]
    expect(told(await signed(), received(), keys)).toBe(
      '400/3105 FSPIOP-Source has no key that is valid now',
    )
    expect(told(await signed({ kid: 'first' }), received(), keys)).toBe(
      '400/3105 kid first: FSPIOP-Source has no such key that is valid now',
    )
    expect(told(await signed(), received(), [...keys, second])).toMatch(/another key signed$/)
  })

  test('one verifies from its first moment to before its end', async () => {
    const keys = [keyOf(rsa.publicKey, { validFrom: now, validTo: new Date(now.getTime() + 1) })]
    expect(told(await signed(), received(), keys)).toBe('verified')
  })

  test('none verifies when there is none', async () => {
    expect(told(await signed(), received(), [])).toBe('400/3105 FSPIOP-Source has no key')
  })
})

describe('confusion of algorithms is refused', () => {
  const pem = String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))
  const keys = [keyOf(rsa.publicKey), keyOf(ec.publicKey, { kid: 'second' })]

  test.each(['HS256', 'HS384', 'HS512'])('%s with the public key for a secret', (alg) => {
    const protectedHeader = Buffer.from(JSON.stringify({ alg, ...parameters })).toString(
      'base64url',
    )
    const signature = createHmac(alg.replace('HS', 'sha'), pem)
      .update(`${protectedHeader}.${sent.body.toString('base64url')}`)
      .digest('base64url')
    const header = JSON.stringify({ signature, protectedHeader })
    expect(told(header, received(), keys, all)).toMatch(
      /^400\/3105 protected header: alg is none of/,
    )
  })

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
  ])('alg %j', (alg) => {
    expect(told(headerWith({ alg, ...parameters }), received(), keys, all)).toMatch(/: alg is none/)
  })

  test('ES256 where it is not agreed on, and no alg at all', async () => {
    const header = await signed({ alg: 'ES256', key: ec.privateKey })
    expect(told(header, received(), keys)).toBe(
      '400/3105 protected header: alg is none of RS256, RS384, RS512',
    )
    expect(told(headerWith(parameters), received(), keys)).toMatch(/: alg is none/)
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
    expect(told(header, received(), [keyOf(publicKey)], all)).toBe(
      `400/3105 FSPIOP-Source has no key for ${alg}`,
    )
    expect(told(header, received(), keys, all)).toMatch(/another key signed$/)
    await expect(
      flattenedVerify(
        { signature, protected: protectedHeader, payload: sent.body.toString('base64url') },
        publicKey,
      ),
    ).rejects.toThrow('alg')
  })

  test('ES256 with a signature of any length, none of them right', () => {
    for (const length of [1, 63, 64, 65, 72, 256, 384]) {
      const signature = Buffer.alloc(length, 1).toString('base64url')
      const header = headerWith({ alg: 'ES256', ...parameters }, signature)
      expect(told(header, received(), keys, all)).toMatch(/another key signed$/)
    }
  })

  test('a key inside the message is never used', async () => {
    const jwk: JsonWebKey = otherRsa.publicKey.export({ format: 'jwk' })
    const { signature, protected: protectedHeader } = await new FlattenedSign(sent.body)
      .setProtectedHeader({ alg: 'RS256', jwk, ...parameters })
      .sign(otherRsa.privateKey)
    const header = JSON.stringify({ signature, protectedHeader })
    expect(told(header, received(), keys)).toBe(
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
    ['crit', headerWith({ ...good, crit: ['exp'] }), /crit asks for/],
    ['empty crit', headerWith({ ...good, crit: [] }), /crit asks for/],
    ['a number for a parameter', headerWith({ ...good, 'X-A': 1 }), /X-A is not the value/],
    [
      'a line break in a parameter',
      headerWith({ ...good, 'X-A': 'a\r\nb' }),
      /X-A is not the value/,
    ],
    ['a blank in a name', headerWith({ ...good, 'X A': '1' }), /no name of a header/],
    ['b64', headerWith({ ...good, b64: false }), /b64 is not the value/],
  ])('of %s is refused', (_, header, expected) => {
    expect(told(header, received(), [keyOf(rsa.publicKey)])).toMatch(expected)
  })

  test('with a protected header that is no UTF-8 is refused', () => {
    const protectedHeader = Buffer.from('{"alg":"RS256","typ":"\xff"}', 'latin1').toString(
      'base64url',
    )
    expect(readSignature(JSON.stringify({ signature: 'AAAA', protectedHeader }))).toMatchObject({
      code: '3105',
    })
  })

  test('is read up to its bounds', () => {
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

  test('of any text or JSON is read or refused, and never verifies', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => headerWith(json)),
      fc.object().map((members) => headerWith({ ...good, ...members })),
    )
    fc.assert(
      fc.property(anything, (header) => {
        expect(told(header, received(), [keyOf(rsa.publicKey)])).toMatch(/^400\/3105 ./)
      }),
    )
  })
})
