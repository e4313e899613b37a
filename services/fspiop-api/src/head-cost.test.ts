import { relayHeaders, rsaAlgorithms } from '@causeway/fspiop'
import { afterEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { forwardedCertificate } from './identity/identity.ts'
import { openSignatures } from './signatures/verify.ts'
import { growthBeyondLinear } from './testing/cost.ts'
import { openEdge } from './testing/edge.ts'
import { id, message, partyAnswer, withHeaders } from './testing/messages.ts'
import { newSigner, verificationKey } from './testing/signing.ts'
import { readTokenRequest } from './pages/token-page.ts'

const keys = [verificationKey(newSigner('green-1'))]
const checkSignature = openSignatures(
  { peek: () => keys, getFresh: () => Promise.resolve(keys) },
  {
    algorithms: rsaAlgorithms,
    unsigned: ['GET'],
    dateWindow_ms: 300_000,
    relayedHeaders: new Set(),
  },
)
const unsigned = openEdge({ FSPIOP_API_UNSOLICITED_ANSWERS_MAX: 1_000_000 })
const signing = openEdge({ checkSignature })
afterEach(() => {
  unsigned.published.splice(0)
  signing.published.splice(0)
})

const question = message('GET', '/parties/MSISDN/123456789')
const answer = message('PUT', '/parties/MSISDN/123456789', partyAnswer)

/** The processing of each header's value by the edge. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    [
      'accept',
      'date',
      'content-type',
      'fspiop-source',
      'fspiop-destination',
      'fspiop-encryption',
      'connection',
      'traceparent',
      'tracestate',
      'x-unknown',
    ].map((name) => [
      name,
      async (text: string) => {
        await unsigned.outcomeOf(withHeaders(question, { [name]: text }), 'greenbank')
        await unsigned.outcomeOf(withHeaders(answer, { [name]: text }), 'bluewallet')
      },
    ]),
  ),
  ...Object.fromEntries(
    ['fspiop-signature', 'fspiop-uri', 'fspiop-http-method'].map((name) => [
      name,
      (text: string) => signing.outcomeOf(withHeaders(question, { [name]: text })),
    ]),
  ),
  'x-forwarded-client-cert': (text: string) => forwardedCertificate(text, []),
  authorization: (text) =>
    readTokenRequest({ authorization: text }, { grant_type: 'client_credentials' }),
  path: (text) => unsigned.outcomeOf(message('GET', `/parties/ALIAS/${encodeURI(text)}`)),
  query: (text) => unsigned.outcomeOf(message('GET', `/authorizations/${id}?${encodeURI(text)}`)),
}

/** Legal beginnings of values, after which a pattern continues to match a run of characters. */
const beginnings = [
  '',
  'application/vnd.interoperability.parties+json',
  'application/vnd.interoperability.parties+json;version=1',
  'Subject="CN=greenbank,',
  ';Cert="',
  '{"encryptedFields":[{"fieldName":"',
  '{"signature":"',
  'Basic ',
  'Bearer ',
  'amount=1',
  'a',
]

const runs = [
  ' ',
  '\t',
  ',',
  ';',
  ' ;',
  ', ',
  '"',
  '=',
  '/',
  '.',
  '-',
  '0',
  'a',
  'a,',
  '[',
  '\\',
  '%2',
]

test('Headers, paths and queries cost at most linear time, with any run of characters', async () => {
  const value = fc.record({
    reader: fc.constantFrom(...Object.keys(readers)),
    beginning: fc.constantFrom(...beginnings),
    run: fc.oneof(
      fc.constantFrom(...runs),
      fc.string({
        unit: fc.constantFrom(' ', ';', ',', '"', '=', '/', '.', '-', 'a', '0', '\\'),
        minLength: 1,
        maxLength: 3,
      }),
    ),
    end: fc.constantFrom('', 'b', ';', '"'),
  })
  await fc.assert(
    fc.asyncProperty(value, async ({ reader, beginning, run, end }) => {
      const work = readers[reader]
      if (work === undefined) throw new Error(`no reader ${reader}`)
      const textOf = (length: number) =>
        beginning + run.repeat(Math.ceil(length / run.length)) + end
      expect(await growthBeyondLinear(work, textOf)).toBeUndefined()
    }),
    { numRuns: 300, endOnFailure: true, examples: runs.flatMap((run) => examplesOf(run)) },
  )
})

function examplesOf(run: string) {
  return ['content-type', 'accept', 'connection', 'tracestate'].map(
    (reader): [{ reader: string; beginning: string; run: string; end: string }] => [
      { reader, beginning: 'a', run, end: 'b' },
    ],
  )
}

test('A head full of headers, with a Connection header full of names, costs linear time', async () => {
  const relay = (text: string) => {
    const names = Array.from({ length: Math.floor(text.length / 16) }, (_, at) => `x-${at}`)
    const headers = Object.fromEntries(names.map((name) => [name, 'v']))
    return relayHeaders('GET', { ...headers, connection: text }, { scheme: new Set(names) })
  }
  const textOf = (length: number) => 'a,'.repeat(length / 2)
  expect(await growthBeyondLinear(relay, textOf)).toBeUndefined()
})

test('An encryption header full of long paths costs linear time', async () => {
  const field = (at: number) => ({
    fieldName: `${at}${'.a'.repeat(250)}`,
    encryptedKey: 'a',
    protectedHeader: 'a',
    initializationVector: 'a',
    authenticationTag: 'a',
  })
  const read = (text: string) =>
    unsigned.outcomeOf(withHeaders(question, { 'fspiop-encryption': text }))
  const textOf = (length: number) =>
    JSON.stringify({ encryptedFields: Array.from({ length: length / 700 }, (_, at) => field(at)) })
  expect(await growthBeyondLinear(read, textOf)).toBeUndefined()
  expect(await read(textOf(2_000))).toBe(
    '400 3101 header fspiop-encryption: fieldName is not a path',
  )
})

test.each(['accept', 'date', 'content-type', 'fspiop-source', 'fspiop-destination', 'connection'])(
  'A header %s of more than 512 characters is refused with 400/3101',
  async (name) => {
    const long = withHeaders(question, { [name]: 'a'.repeat(513) })
    expect(await unsigned.outcomeOf(long)).toBe(
      `400 3101 header ${name}: has more than 512 characters`,
    )
  },
)
