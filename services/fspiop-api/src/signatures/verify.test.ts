import { rsaAlgorithms, writeHttpDate, type VerificationKey } from '@causeway/fspiop'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { openSignatures } from './verify.ts'
import { openEdge } from '../testing/edge.ts'
import {
  id,
  message,
  quoteRequest,
  transferFulfilment,
  withHeaders,
  withMembers,
} from '../testing/messages.ts'
import { newSigner, signed, signedWith, verificationKey } from '../testing/signing.ts'

const greenbank = newSigner('green-1')
const renewed = newSigner('green-2')
const bluewallet = newSigner('blue-1')
const curved = newSigner('green-ec', 'ec')

const known = new Map<string, readonly VerificationKey[]>()
/** The current answer of auth-service. */
const stored = new Map<string, readonly VerificationKey[]>()
let asked = 0
let isAway = false

const keys = {
  peek: (fspId: string) => known.get(fspId),
  getFresh(fspId: string) {
    asked += 1
    if (isAway) return Promise.reject(new Error('auth-service is away'))
    const found = stored.get(fspId) ?? []
    known.set(fspId, found)
    return Promise.resolve(found)
  },
}
const algorithms = [...rsaAlgorithms, 'ES256'] as const
const relayedHeaders = new Set(['x-absent'])
const lenient = {
  algorithms,
  unsigned: ['GET', 'DELETE'],
  dateWindow_ms: undefined,
  relayedHeaders,
}
const strict = { algorithms, unsigned: ['GET'], dateWindow_ms: 300_000, relayedHeaders }
const edge = openEdge({ checkSignature: openSignatures(keys, lenient) })
const rsaOnly = openEdge({
  checkSignature: openSignatures(keys, { ...strict, algorithms: rsaAlgorithms }),
})
const strictEdge = openEdge({ checkSignature: openSignatures(keys, strict) })

beforeEach(() => {
  asked = 0
  isAway = false
  known.clear()
  stored.clear()
  stored.set('greenbank', [verificationKey(greenbank)])
  stored.set('bluewallet', [verificationKey(bluewallet)])
})
afterEach(() => {
  edge.published.splice(0)
  strictEdge.published.splice(0)
})

const quote = message('POST', '/quotes', quoteRequest)
const query = message('GET', `/quotes/${id}`)
const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)
const removal = message('DELETE', '/participants/MSISDN/1')

describe('Signed messages', () => {
  test('A signature is verified over the bytes as received, with blanks and escapes', async () => {
    const body = String(quote.body)
      .replace('{', '{ \r\n\t')
      .replace('Ana Silva', '\\u0041na Silv\u00e1')
    const sent = await signed({ ...quote, body }, greenbank)
    expect(await edge.outcomeOf(sent)).toBe('202')
    const event = edge.onlyMessage()
    expect(event.body).toBe(body)
    expect(event.headers).toEqual(sent.headers)
  })

  test('A message that is serialized again with the same meaning has an invalid signature', async () => {
    const sent = await signed(quote, greenbank)
    const body = JSON.stringify(JSON.parse(String(sent.body)), null, 1)
    expect(await edge.outcomeOf({ ...sent, body })).toBe(
      '400 3105 body or protected header was changed, or another key signed',
    )
  })

  test.each(['RS256', 'RS384', 'RS512'] as const)('A signature may use %s', async (alg) => {
    expect(await edge.outcomeOf(await signed(quote, greenbank, { alg }))).toBe('202')
  })

  test('A signature may use ES256 only with JWS_VERIFY_ES256=on', async () => {
    stored.set('greenbank', [verificationKey(curved)])
    const sent = await signed(quote, curved)
    expect(await edge.outcomeOf(sent)).toBe('202')
    expect(await rsaOnly.outcomeOf(sent)).toBe(
      '400 3105 protected header: alg is none of RS256, RS384, RS512',
    )
  })

  test('A signature need not protect the destination with COMPATIBILITY=mojaloop', async () => {
    expect(await edge.outcomeOf(await signed(quote, greenbank, { destination: undefined }))).toBe(
      '202',
    )
  })

  test('The query string is protected by the signature too', async () => {
    const sent = { ...query, path: `${query.path}?a=1` }
    expect(await edge.outcomeOf(await signed(sent, greenbank))).toBe('202')
    expect(await edge.outcomeOf({ ...(await signed(sent, greenbank)), path: query.path })).toBe(
      `400 3105 FSPIOP-URI: header says ...b8a1?a=1, request says ...b8a1`,
    )
  })
})

describe('Messages without a signature', () => {
  test('A POST, PUT or DELETE without a signature is refused, a GET is not', async () => {
    const missing = '400 3105 header fspiop-signature is missing'
    expect(await edge.outcomeOf(quote)).toBe(missing)
    expect(await edge.outcomeOf(withHeaders(quote, { 'fspiop-signature': '' }))).toBe(missing)
    expect(await edge.outcomeOf(fulfil)).toBe(missing)
    expect(await edge.outcomeOf(query)).toBe('202')
    expect(await strictEdge.outcomeOf(removal)).toBe(missing)
    expect(strictEdge.published).toEqual([])
    expect(await strictEdge.outcomeOf(await signed(removal, greenbank))).toBe('202')
  })

  test('A DELETE needs no signature with COMPATIBILITY=mojaloop, but one that is present must be valid', async () => {
    expect(await edge.outcomeOf(removal)).toBe('202')
    expect(await edge.outcomeOf(await signed(removal, renewed))).toMatch(/^400 3105/)
  })

  test('A GET with an invalid signature is refused', async () => {
    expect(await edge.outcomeOf(await signed(query, greenbank))).toBe('202')
    expect(await edge.outcomeOf(await signed(query, { ...bluewallet, kid: 'green-1' }))).toMatch(
      /^400 3105/,
    )
  })
})

describe('Messages that are sent again', () => {
  const at = (seconds: number) => ({ date: writeHttpDate(new Date(Date.now() + seconds * 1_000)) })
  const outside = '400 3105 header date: too far from the time of the hub; sign the request again'

  test.each([
    ['an hour old', quote, -3_600, outside],
    ['an hour ahead', quote, 3_600, outside],
    ['four minutes old', quote, -240, '202'],
    ['four minutes ahead', quote, 240, '202'],
  ] as const)('A request whose Date is %s gets %s', async (_title, sent, seconds, outcome) => {
    expect(await strictEdge.outcomeOf(await signed(sent, greenbank, at(seconds)))).toBe(outcome)
  })

  test('A DELETE that is an hour old is refused', async () => {
    expect(await strictEdge.outcomeOf(await signed(removal, greenbank, at(-3_600)))).toBe(outside)
  })

  test('An outcome that is repeated after an hour is accepted', async () => {
    expect(await strictEdge.outcomeOf(await signed(fulfil, bluewallet, at(-3_600)))).toBe('200')
  })

  test('A request of any age is accepted with COMPATIBILITY=mojaloop', async () => {
    expect(await edge.outcomeOf(await signed(quote, greenbank, at(-3_600)))).toBe('202')
  })

  test.each([
    ['POST', quote, greenbank],
    ['PUT', fulfil, bluewallet],
  ] as const)(
    'A %s whose signature leaves Date or destination unprotected is refused',
    async (_method, sent, signer) => {
      const { headers, path, method } = await signed(sent, signer)
      const base = {
        alg: 'RS256',
        'FSPIOP-URI': path,
        'FSPIOP-HTTP-Method': method,
        'FSPIOP-Source': headers['fspiop-source'],
      }
      const { date, 'fspiop-destination': destination } = headers
      const dated = withHeaders(sent, { date })
      const outcomeOf = (protectedHeader: Readonly<Record<string, unknown>>) =>
        strictEdge.outcomeOf(signedWith(dated, signer, protectedHeader))
      expect(await outcomeOf({ ...base, 'FSPIOP-Destination': destination })).toBe(
        '400 3105 Date: protected header lacks it',
      )
      expect(await outcomeOf({ ...base, Date: date })).toBe(
        '400 3105 FSPIOP-Destination: protected header lacks it',
      )
      expect(await outcomeOf({ ...base, date, 'FSPIOP-Destination': destination })).toMatch(/^20/)
    },
  )

  test('A message that names no destination needs none in its signature, and gets none later', async () => {
    const unnamed = withHeaders(quote, { 'fspiop-destination': undefined })
    const sent = await signed(unnamed, greenbank)
    expect(await strictEdge.outcomeOf(sent)).toBe('202')
    const named = withHeaders(sent, { 'fspiop-destination': 'otherbank' })
    expect(await strictEdge.outcomeOf(named)).toBe(
      '400 3105 FSPIOP-Destination: protected header lacks it',
    )
  })

  test('A message whose destination was changed is refused', async () => {
    const sent = await signed(quote, greenbank)
    const changed = withHeaders(sent, { 'fspiop-destination': 'otherbank' })
    expect(await strictEdge.outcomeOf(changed)).toBe(
      '400 3105 FSPIOP-Destination: header says otherbank, protected header says bluewallet',
    )
  })

  test('Keys are not read for a request that is too old', async () => {
    await strictEdge.outcomeOf(await signed(quote, greenbank, { kid: undefined, ...at(-3_600) }))
    expect(asked).toBe(0)
  })
})

describe('Refused signatures', () => {
  const base = {
    alg: 'RS256',
    'FSPIOP-URI': '/quotes',
    'FSPIOP-HTTP-Method': 'POST',
    'FSPIOP-Source': 'greenbank',
  }
  const b64 = (text: string) => Buffer.from(text).toString('base64url')
  const header = (value: string) =>
    withHeaders(quote, {
      'fspiop-uri': '/quotes',
      'fspiop-http-method': 'POST',
      'fspiop-signature': value,
    })
  const parts = (signature: unknown, protectedHeader: unknown) =>
    header(JSON.stringify({ signature, protectedHeader }))
  const good = b64(JSON.stringify(base))

  test.each([
    ['not JSON', header('junk'), 'FSPIOP-Signature is not a JSON object'],
    ['a list', header('[]'), 'FSPIOP-Signature is not a JSON object'],
    ['without a signature', parts(undefined, good), 'signature is not base64url'],
    ['with a signature that is not text', parts(5, good), 'signature is not base64url'],
    ['in plain base64', parts('a+/=', good), 'signature is not base64url'],
    ['of 513 characters', parts('a'.repeat(513), good), 'signature is not base64url of 1 to 512'],
    ['without a protected header', parts('YQ', undefined), 'protectedHeader is not base64url'],
    [
      'with a protected header that is not JSON',
      parts('YQ', b64('junk')),
      'protected header: not a JSON object',
    ],
    [
      'with a protected header that is not UTF-8',
      parts('YQ', 'gIA'),
      'protected header: not a JSON object',
    ],
    ['with alg none', parts('YQ', b64('{"alg":"none"}')), 'protected header: alg is none of'],
    ['with an HMAC', parts('YQ', b64('{"alg":"HS256"}')), 'protected header: alg is none of'],
    ['without an alg', parts('YQ', b64('{}')), 'protected header: alg is none of'],
    ['with a crit', parts('YQ', b64('{"alg":"RS256","crit":["b64"]}')), 'protected header: crit'],
  ])('A signature that is %s is refused', async (_title, sent, detail) => {
    const outcome = `400 3105 ${detail}`
    expect((await edge.outcomeOf(sent)).slice(0, outcome.length)).toBe(outcome)
  })

  const without = (name: keyof typeof base) => ({ ...base, [name]: undefined })
  test.each([
    ['lacks the URI', without('FSPIOP-URI'), 'FSPIOP-URI: protected header lacks it'],
    [
      'lacks the method',
      without('FSPIOP-HTTP-Method'),
      'FSPIOP-HTTP-Method: protected header lacks it',
    ],
    ['lacks the source', without('FSPIOP-Source'), 'FSPIOP-Source: protected header lacks it'],
    [
      'names another URI',
      { ...base, 'FSPIOP-URI': '/transfers' },
      'FSPIOP-URI: header says /quotes, protected header says /transfers',
    ],
    [
      'names another method',
      { ...base, 'FSPIOP-HTTP-Method': 'PUT' },
      'FSPIOP-HTTP-Method: header says POST, protected header says PUT',
    ],
    [
      'names another source',
      { ...base, 'FSPIOP-Source': 'bluewallet' },
      'FSPIOP-Source: header says greenbank, protected header says bluewallet',
    ],
    [
      'names another destination',
      { ...base, 'FSPIOP-Destination': 'otherbank' },
      'FSPIOP-Destination: header says bluewallet, protected header says otherbank',
    ],
    [
      'names another date',
      { ...base, Date: 'Sun, 22 Nov 2026 10:00:00 GMT' },
      'Date: header says Sat, 21 Nov 2026 10:00:0..., protected header says Sun, 22 Nov 2026 10:00:0...',
    ],
    [
      'protects a missing header',
      { ...base, 'X-Absent': '1' },
      'X-Absent: protected, but header is missing',
    ],
    [
      'protects a header that is not relayed',
      { ...base, 'X-Other': '1' },
      'protected header: it holds a header that this hub does not relay',
    ],
    [
      'protects another Content-Type, with any case of the header name',
      { ...base, 'CONTENT-type': 'application/json' },
      'CONTENT-type: header says ...ion/vnd.interoperability..., protected header says ...ion/json',
    ],
  ])(
    'A signature whose protected header %s is refused',
    async (_title, protectedHeader, detail) => {
      expect(await edge.outcomeOf(signedWith(quote, greenbank, protectedHeader))).toBe(
        `400 3105 ${detail}`,
      )
    },
  )

  test.each([
    ['fspiop-uri', 'FSPIOP-URI: header is missing'],
    ['fspiop-http-method', 'FSPIOP-HTTP-Method: header is missing'],
  ])('A signature of a message without %s is refused', async (name, detail) => {
    const sent = await signed(quote, greenbank)
    expect(await edge.outcomeOf(withHeaders(sent, { [name]: undefined }))).toBe(
      `400 3105 ${detail}`,
    )
  })

  test('A signature is refused when the request line differs from the headers', async () => {
    const sent = await signed(fulfil, bluewallet)
    const path = `${fulfil.path}/error`
    expect(await edge.outcomeOf({ ...sent, path })).toMatch(
      /^400 3105 FSPIOP-URI: header says .*, request says .*error$/,
    )
  })

  test('A signature that leaves FSPIOP-Encryption unprotected is refused', async () => {
    const sent = withHeaders(quote, { 'fspiop-encryption': '{"encryptedFields":{}}' })
    expect(await edge.outcomeOf(await signed(sent, greenbank))).toBe(
      '400 3105 FSPIOP-Encryption: protected header lacks it',
    )
  })

  test('A signature of a changed body is refused', async () => {
    const sent = await signed(quote, greenbank)
    expect(await edge.outcomeOf(withMembers(sent, { amountType: 'RECEIVE' }))).toBe(
      '400 3105 body or protected header was changed, or another key signed',
    )
    expect(edge.published).toEqual([])
  })

  test("A signature with the key of another FSP is refused, under either FSP's name", async () => {
    expect(await edge.outcomeOf(await signed(quote, bluewallet))).toBe(
      '400 3105 kid blue-1: FSPIOP-Source has no such key',
    )
    expect(await edge.outcomeOf(await signed(quote, { ...bluewallet, kid: 'green-1' }))).toBe(
      '400 3105 body or protected header was changed, or another key signed',
    )
    expect(await edge.outcomeOf(await signed(quote, bluewallet, { kid: undefined }))).toBe(
      '400 3105 body or protected header was changed, or another key signed',
    )
  })

  test('A signature of an FSP without keys is refused', async () => {
    stored.delete('greenbank')
    expect(await edge.outcomeOf(await signed(quote, greenbank, { kid: undefined }))).toBe(
      '400 3105 FSPIOP-Source has no key',
    )
  })

  test('A signature with an algorithm that does not fit the key is refused', async () => {
    stored.set('greenbank', [verificationKey({ ...curved, kid: 'green-1' })])
    expect(await edge.outcomeOf(await signed(quote, greenbank))).toBe(
      '400 3105 kid green-1: FSPIOP-Source has no such key for RS256',
    )
  })
})

describe('Keys that verify signatures', () => {
  const hour = (count: number) => new Date(Date.now() + count * 3_600_000)

  test('Keys are rotated by adding one: the old and the new key verify at the same time', async () => {
    expect(await edge.outcomeOf(await signed(quote, greenbank))).toBe('202')
    expect(asked).toBe(1)
    stored.set('greenbank', [verificationKey(greenbank), verificationKey(renewed)])
    expect(await edge.outcomeOf(await signed(quote, renewed))).toBe('202')
    expect(asked).toBe(2)
    expect(await edge.outcomeOf(await signed(quote, greenbank))).toBe('202')
    expect(asked).toBe(2)
  })

  test('A signature without a key id is verified with all keys of the FSP', async () => {
    stored.set('greenbank', [verificationKey(greenbank), verificationKey(renewed)])
    for (const signer of [greenbank, renewed]) {
      expect(await edge.outcomeOf(await signed(quote, signer, { kid: undefined }))).toBe('202')
    }
    expect(asked).toBe(1)
    const ping = message('POST', '/pings', { pingId: id })
    edge.published.splice(0)
    expect(await edge.outcomeOf(await signed(ping, renewed, { kid: undefined }))).toBe('202')
    expect(edge.onlyMessage().payload).toMatchObject({ kid: 'green-2' })
  })

  test('Only keys of the source verify', async () => {
    stored.set('bluewallet', [verificationKey(bluewallet), verificationKey(renewed)])
    expect(await edge.outcomeOf(await signed(quote, renewed))).toMatch(/^400 3105 kid green-2/)
  })

  test.each([
    ['begins in an hour', { validFrom: hour(1) }],
    ['has ended', { validTo: hour(-1) }],
  ])('A key verifies only within its validity: one that %s does not', async (_title, changed) => {
    stored.set('greenbank', [verificationKey(greenbank, changed)])
    expect(await edge.outcomeOf(await signed(quote, greenbank))).toBe(
      '400 3105 kid green-1: FSPIOP-Source has no such key that is valid now',
    )
    stored.set('greenbank', [verificationKey(renewed), verificationKey(greenbank, changed)])
    known.clear()
    expect(await edge.outcomeOf(await signed(quote, greenbank, { kid: undefined }))).toMatch(
      /^400 3105/,
    )
    expect(await edge.outcomeOf(await signed(quote, renewed, { kid: undefined }))).toBe('202')
  })

  test('Cached keys are not read again for a wrong signature that names one of them', async () => {
    await edge.outcomeOf(await signed(quote, greenbank))
    asked = 0
    const wrong = await signed(quote, { ...bluewallet, kid: 'green-1' })
    for (let at = 0; at < 10; at++) await edge.outcomeOf(wrong)
    expect(asked).toBe(0)
  })

  test('A message is refused with 503 while its key cannot be read', async () => {
    isAway = true
    expect(await edge.outcomeOf(await signed(quote, greenbank))).toBe(
      '503 2003 signatures cannot be checked now; try again later',
    )
    known.set('greenbank', [verificationKey(greenbank)])
    expect(await edge.outcomeOf(await signed(quote, greenbank))).toBe('202')
  })
})

test('Signatures are relayed without verification with JWS_VERIFY=off', async () => {
  const unread = openEdge()
  const junk = withHeaders(fulfil, { 'fspiop-signature': 'junk' })
  expect(await unread.outcomeOf(junk)).toBe('200')
  expect(unread.onlyMessage().headers?.['fspiop-signature']).toBe('junk')
  expect(await unread.outcomeOf(fulfil)).toBe('200')
})
