import type { Payload } from '@causeway/events'
import type { Resource } from '@causeway/fspiop'
import { describe, expect, test } from '@jest/globals'
import { refuse } from './refusals.ts'
import { routeOf } from './chain.ts'
import { servedRoutes } from './routes.ts'
import { openEdge, readAtOnce, unawaited } from './testing/edge.ts'
import { every, ofHubAlone, type ExpectedCallback } from './testing/every.ts'
import {
  headersOf,
  id,
  mediaType,
  message,
  withHeaders,
  type TestMessage,
} from './testing/messages.ts'
import { testSettings } from './testing/settings.ts'
import { everyRelayed } from './testing/thirdparty.ts'

const edge = openEdge()
const notAsked = {
  owners: { ownerOf: () => Promise.resolve({ type: 'NONE' } as const) },
  providers: { of: () => Promise.resolve([]) },
  largeBodies: readAtOnce,
  arrivals: unawaited,
  participants: { getFresh: () => Promise.resolve(undefined) },
  relay_ms: () => 60_000,
  question_ms: () => 7_000,
}
const versions = [
  { key: '1', value: '0' },
  { key: '1', value: '1' },
]

/** Whether its sender expects an answer, which may have another version than its own message. */
function asks({ method }: TestMessage): boolean {
  return method !== 'PUT'
}

function resourceOf({ path }: TestMessage) {
  return path.split(/[/?]/)[1] as Parameters<typeof mediaType>[1]
}

const rows = every.map((outcome): readonly [string, ExpectedCallback] => [
  outcome.operation,
  outcome,
])

test('Every served operation has a valid example message', () => {
  const served = Object.keys(servedRoutes(testSettings, notAsked))
  const good = [...every, ...ofHubAlone, ...everyRelayed].map(({ operation }) => operation)
  expect([...good, 'GET /services/{ServiceType}'].toSorted()).toEqual(served.toSorted())
})

describe.each(rows)('%s', (_operation, { sent, event, key }) => {
  const resource = resourceOf(sent)

  test('A valid message becomes its event and is then acknowledged', async () => {
    const answer = await edge.send(sent)
    expect(answer).toEqual({
      status: asks(sent) ? 202 : 200,
      contentType: mediaType(asks(sent) && isOld(sent) ? '1.0' : '1.1', resource),
    })
    const sentOn = edge.onlyMessage()
    expect(sentOn.name).toBe(event)
    const { notificationId, cause } = sentOn.payload as Partial<Payload<'NotifyRequested'>>
    expect(cause?.entityId ?? sentOn.key).toBe(key)
    // Answers about parties are unordered; every other relayed message keeps its order.
    if (cause !== undefined) expect(sentOn.key).toBe(resource === 'parties' ? notificationId : key)
  })

  test('A message is refused for every fault of its head, and nothing is published', async () => {
    const long = 'x'.repeat(33)
    const faults: readonly (readonly [Record<string, string | undefined>, string])[] = [
      [{ date: undefined }, '400 3102 header date'],
      [{ date: 'yesterday' }, '400 3101 header date'],
      [{ 'content-type': undefined }, '400 3102 Content-type is required: header content-type'],
      [{ 'content-type': 'application/json' }, '400 3101 header content-type'],
      [{ 'content-type': 'application/xml' }, '400 3101 Unsupported Media Type'],
      [{ 'content-type': mediaType('1', resource) }, '400 3101 header content-type'],
      [
        { 'content-type': mediaType('9.9', resource) },
        '406 3001 Client supplied a protocol version which is not supported by the server',
      ],
      [{ 'fspiop-source': undefined }, '400 3102 header fspiop-source'],
      [{ 'fspiop-source': '' }, '400 3102 header fspiop-source'],
      [{ 'fspiop-source': long }, '400 3101 header fspiop-source'],
      [{ 'fspiop-source': 'nobody' }, '400 3200 header fspiop-source: not a participant'],
      [{ 'fspiop-source': 'Hub' }, '400 3200 header fspiop-source: not a participant'],
      [{ 'fspiop-destination': long }, '400 3101 header fspiop-destination'],
      [{ 'fspiop-encryption': 'junk' }, '400 3101 header fspiop-encryption'],
    ]
    const ofAccept: typeof faults = [
      [{ accept: undefined }, '400 3102 Accept is required: header accept'],
      [{ accept: '' }, '400 3101 header accept'],
      [{ accept: '*/*' }, '400 3101 header accept'],
      [{ accept: 'application/json' }, '400 3101 header accept'],
      [{ accept: mediaType('1', 'fxQuotes' as Resource) }, '400 3101 header accept'],
      [{ accept: mediaType('x', resource) }, '400 3101 header accept'],
      [
        { accept: mediaType('9.9', resource) },
        '406 3001 The Client requested an unsupported version, see extension list for supported version(s).',
      ],
      [
        { accept: mediaType('2', resource) },
        '406 3001 The Client requested an unsupported version, see extension list for supported version(s).',
      ],
    ]
    for (const [changed, outcome] of asks(sent) ? [...faults, ...ofAccept] : faults) {
      const answer = await edge.outcomeOf(withHeaders(sent, changed))
      expect([changed, answer.slice(0, outcome.length)]).toEqual([changed, outcome])
    }
    expect(edge.published).toEqual([])
  })

  test('A message of an inactive FSP is accepted only when it answers a transfer or a quote, or is a ping', async () => {
    const answer = await edge.outcomeOf(withHeaders(sent, { 'fspiop-source': 'sleeper' }))
    const inactive = '400 3100 header fspiop-source: the participant is not active'
    const owned = ['transfers', 'quotes', 'bulkQuotes', 'bulkTransfers']
    const finishes = !asks(sent) && owned.includes(resource ?? '')
    if (finishes || event === 'PingReceived') expect(answer).not.toBe(inactive)
    else expect(answer).toBe(inactive)
    edge.published.splice(0)
  })

  test('Every message of a closed FSP is refused with 403', async () => {
    expect(await edge.outcomeOf(withHeaders(sent, { 'fspiop-source': 'leaver' }))).toBe(
      '403 3100 header fspiop-source: the participant is closed',
    )
    expect(edge.published).toEqual([])
  })

  test('A message that cannot be stored is not acknowledged', async () => {
    const full = openEdge({ publish: () => Promise.reject(new Error('the disk is full')) })
    expect(await full.outcomeOf(sent)).toBe(
      '503 2003 the request could not be stored; try again later',
    )
  })
})

/** Of these the highest version of a major one is the older. */
function isOld(sent: TestMessage): boolean {
  return ['authorizations', 'transactions', 'pings'].includes(String(resourceOf(sent)))
}

describe('Accept', () => {
  const transfers = (version: string) => mediaType(version)
  const bare = 'application/vnd.interoperability.transfers+json'
  test.each([
    ['a major version', transfers('1'), '1.1'],
    ['an older version', transfers('1.0'), '1.0'],
    ['the first that is supported of several', `${transfers('2.0')},${transfers('1.0')}`, '1.0'],
    ['several with blanks', `${transfers('7')} , ${bare} ; version=1.0`, '1.0'],
    ['any version', bare, '1.1'],
    ['any other version', `${transfers('3')}, ${bare}`, '1.1'],
  ])(
    'Accept with %s selects the version of the response and of the callback',
    async (_title, accept, version) => {
      const answer = await edge.send(withHeaders(message('GET', `/transfers/${id}`), { accept }))
      expect(answer).toEqual({ status: 202, contentType: mediaType(version) })
      expect(edge.onlyMessage().payload).toMatchObject({ version })
    },
  )

  test('Accept is ignored on messages that expect no answer', async () => {
    const sent = message('PUT', `/transfers/${id}/error`, {
      errorInformation: { errorCode: '5104', errorDescription: 'no' },
    })
    expect(await edge.outcomeOf(withHeaders(sent, { accept: 'text/html' }))).toBe('200')
    expect(edge.onlyMessage().headers).not.toHaveProperty('accept')
  })

  test.each(['accept', 'content-type'])(
    'The refusal of an unknown version in %s lists the supported versions',
    async (name) => {
      const sent = withHeaders(message('GET', `/quotes/${id}`), {
        [name]: mediaType('9.9', 'quotes'),
      })
      const answer = await edge.send(sent)
      expect(answer.refusal).toMatchObject({ code: '3001', extensionList: { extension: versions } })
      expect(answer.contentType).toBe(mediaType('1.1', 'quotes'))
    },
  )
})

describe('Paths', () => {
  const served = servedRoutes(testSettings, notAsked)
  const outcome = (method: string, path: string) => {
    const parsed = routeOf(served, method, path)
    if ('routed' in parsed) return parsed.routed.match.operation
    const { status, refusal, allow } = parsed.answer
    return `${status} ${refusal?.code} ${allow?.join(' ') ?? ''}`.trim()
  }
  test.each([
    ['GET', '/nothing', '404 3002'],
    ['GET', '/', '404 3002'],
    ['PUT', '/transfers/', '404 3002'],
    ['PUT', `/transfers/${id}/`, '404 3002'],
    ['GET', '/Transfers/1', '404 3002'],
    ['GET', `/v1/transfers/${id}`, '404 3002'],
    ['DELETE', `/transfers/${id}`, '405 3000 GET PUT PATCH'],
    ['GET', '/transfers', '405 3000 POST'],
    ['POST', `/quotes/${id}`, '405 3000 GET PUT'],
    ['OPTIONS', '/quotes', '405 3000 POST'],
    ['PATCH', `/transfers/${id}`, '501 2002'],
    ['PUT', `/bulkQuotes/${id}/error`, 'PUT /bulkQuotes/{ID}/error'],
    ['PATCH', `/bulkQuotes/${id}`, '405 3000 GET PUT'],
    ['GET', `/bulkTransfers/${id}`, 'GET /bulkTransfers/{ID}'],
    ['DELETE', `/bulkTransfers/${id}`, '405 3000 GET PUT'],
    ['PUT', `/participants/${id}`, 'PUT /participants/{ID}'],
    ['PUT', `/participants/${id}/error`, 'PUT /participants/{ID}/error'],
    ['PUT', '/participants/MSISDN/1', 'PUT /participants/{Type}/{ID}'],
    ['PUT', '/participants/MSISDN/1/error', 'PUT /participants/{Type}/{ID}/error'],
    ['PUT', `/pings/${id}`, '501 2002'],
    ['PUT', '/parties/MSISDN/error', 'PUT /parties/{Type}/{ID}'],
    ['PUT', '/parties/MSISDN/1/error', 'PUT /parties/{Type}/{ID}/error'],
    ['GET', '/parties/MSISDN/1/error', 'GET /parties/{Type}/{ID}/{SubId}'],
  ])('%s %s is answered with %s', (method, path, expected) => {
    expect(outcome(method, path)).toBe(expected)
  })

  test.each([
    ['GET', '/transfers/1', '400 3101 path parameter ID'],
    ['GET', `/transfers/${id.toUpperCase()}`, '400 3101 path parameter ID'],
    ['GET', '/quotes/%ZZ', '400 3101 path parameter ID: not percent-encoded'],
    ['GET', '/parties/PHONE/1', '400 3101 path parameter Type'],
    ['GET', '/parties/msisdn/1', '400 3101 path parameter Type'],
    ['GET', '/parties/MSISDN/no-number', '400 3101 path parameter ID: not a legal MSISDN'],
    ['GET', '/parties/MSISDN/1/a%2Fb', '400 3101 path parameter SubId'],
    ['GET', '/participants/MSISDN/..', '400 3101 path parameter ID'],
    ['DELETE', '/participants/EMAIL/nobody', '400 3101 path parameter ID: not a legal EMAIL'],
  ] as const)('%s %s is answered with %s', async (method, path, expected) => {
    const answer = await edge.outcomeOf(message(method, path))
    expect(answer.slice(0, expected.length)).toBe(expected)
  })
})

test('A message with several faults is refused for the first in the order of the checks', async () => {
  const signed = openEdge({
    checkSignature: ({ headers }) =>
      headers['fspiop-signature'] === 'good' ? { kid: 'k' } : refuse('SIGNATURE_MISSING'),
  })
  let sent: TestMessage = {
    method: 'OPTIONS',
    path: '/authorisations/1',
    headers: { 'fspiop-source': 'x'.repeat(33), 'fspiop-encryption': 'junk' },
    body: 'junk',
  }
  const outcome: string[] = []
  const look = async (fixed: Partial<TestMessage>, identity?: string) => {
    sent = { ...sent, ...fixed }
    const answer = await signed.outcomeOf(sent, identity)
    outcome.push(answer.split(':')[0] ?? '')
  }
  const head = (changed: Record<string, string>) => ({ headers: { ...sent.headers, ...changed } })
  const good = headersOf('GET', 'greenbank', {}, 'authorizations')
  await look({})
  await look({ path: '/authorizations/1' })
  await look({ method: 'GET' }, 'greenbank')
  await look({})
  await look(head({ accept: good['accept'] ?? '' }))
  await look(head({ date: good['date'] ?? '' }))
  await look(head({ 'content-type': good['content-type'] ?? '' }))
  await look(head({ 'fspiop-source': 'nobody' }))
  await look(head({ 'fspiop-destination': 'bluewallet' }))
  await look(head({ 'fspiop-source': 'greenbank' }))
  await look(head({ 'fspiop-signature': 'good' }))
  await look({
    headers: { ...good, 'fspiop-destination': 'bluewallet', 'fspiop-signature': 'good' },
  })
  await look({ path: `/authorizations/${id}` })
  await look({
    path: `/authorizations/${id}?authenticationType=OTP&retriesLeft=1&amount=1&currency=USD`,
  })
  expect(outcome).toEqual([
    '404 3002 no such path',
    '405 3000 the path has no such method',
    '403 3100 header fspiop-source',
    '400 3102 Accept is required',
    '400 3102 header date',
    '400 3102 Content-type is required',
    '400 3101 header fspiop-source',
    '400 3102 header fspiop-destination',
    '400 3200 header fspiop-source',
    '400 3105 header fspiop-signature is missing',
    '400 3101 header fspiop-encryption',
    '400 3101 path parameter ID',
    '400 3102 query parameter authenticationType',
    '202',
  ])
})
