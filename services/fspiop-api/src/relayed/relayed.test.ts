import { newEvent, type DomainEvent, type Payload } from '@causeway/events'
import { afterEach, describe, expect, test } from '@jest/globals'
import { callbackMessages } from '../callbacks/callbacks.ts'
import { failureCallbacks } from '../callbacks/reports.ts'
import { deliveries, openEdge, reachable, receivedAt, publishedMessage } from '../testing/edge.ts'
import { every } from '../testing/every.ts'
import {
  errorInformation,
  expiration,
  id,
  mediaType,
  message,
  partyAnswer,
  transactionRequest,
  withHeaders,
  withMembers,
  type TestMessage,
} from '../testing/messages.ts'

const edge = openEdge()
const lenient = openEdge({ COMPATIBILITY: 'mojaloop' })
afterEach(() => {
  edge.published.splice(0)
})

const error = { errorInformation }
const otp = 'authenticationType=OTP&retriesLeft=2&amount=102&currency=USD'
const request = message('POST', '/transactionRequests', transactionRequest)
const passedOn = every
  .filter(({ event }) => event === 'NotifyRequested')
  .filter(({ operation }) => !/\/(parties|participants)\//.test(operation))
  .map(({ operation, sent }): readonly [string, TestMessage] => [operation, sent])

describe.each(passedOn)('%s', (operation, sent) => {
  const source = sent.headers['fspiop-source'] ?? ''
  const destination = sent.headers['fspiop-destination'] ?? ''
  const resource = sent.path.split(/[/?]/)[1] ?? ''

  test('A relayed message leaves for the other FSP at once, byte for byte, on the same path and query', async () => {
    const extra = {
      'x-forwarded-for': '10.1.1.1, 10.1.1.2',
      'fspiop-uri': sent.path,
      'fspiop-http-method': sent.method,
      'fspiop-signature': '{"signature":"junk","protectedHeader":"junk"}',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=1',
      'x-custom': 'k\u00e9pt',
    }
    const dropped = {
      authorization: 'Bearer secret',
      cookie: 'a=b',
      host: 'hub.example',
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      'content-length': '5',
      'x-forwarded-client-cert': 'Subject="CN=stranger"',
      'user-agent': 'curl',
    }
    await edge.outcomeOf(withHeaders(sent, { ...extra, ...dropped }))
    const sentOn = edge.onlyMessage()
    expect(deliveries([sentOn])).toEqual([
      `${destination}: ${sent.method} http://${destination}.example${sent.path}`,
    ])
    expect(sentOn.payload).toMatchObject({
      entityId: id,
      cause: { msgName: operation, entityId: id },
      legRole: destination === 'greenbank' ? 'PAYER' : 'PAYEE',
      headers: { 'fspiop-destination': destination },
      reportRequired: false,
    })
    expect(sentOn.body).toBe(String(sent.body ?? ''))
    expect(sentOn.headers).toEqual({ ...sent.headers, ...extra })
    expect(sentOn.traceparent).toBe(extra.traceparent)
  })

  test('A relayed message is tried until its own expiration, or as long as every message without one; a question for some seconds', async () => {
    await edge.outcomeOf(sent)
    const { deadline } = edge.onlyMessage().payload
    if (operation === 'POST /transactionRequests') expect(deadline).toBe(expiration)
    else if (sent.method === 'GET') expect(deadline).toBe('2026-11-21T10:00:07.000Z')
    else expect(deadline).toBe('2026-11-21T10:01:00.000Z')
  })

  test('The sender of a relayed message receives an error when delivery fails, unless the message is an error itself', async () => {
    await edge.outcomeOf(sent)
    const { onFailure } = edge.onlyMessage().payload as Payload<'NotifyRequested'>
    if (operation.endsWith('/error')) {
      expect(onFailure).toBeUndefined()
      return
    }
    expect(onFailure).toMatchObject({
      requesterFspId: source,
      operation: `PUT /${resource}/{ID}/error`,
      path: `/${resource}/${id}/error`,
      variables: { ID: id },
    })
  })

  test('A relayed message to an unknown FSP is reported to its sender as 3201', async () => {
    const outcome = await edge.outcomeOf(withHeaders(sent, { 'fspiop-destination': 'nobody' }))
    expect(outcome).toBe(sent.method === 'PUT' ? '200' : '202')
    if (operation.endsWith('/error')) {
      expect(edge.published).toEqual([])
      return
    }
    const sentOn = edge.onlyMessage()
    expect(deliveries([sentOn])).toEqual([
      `${source}: PUT http://${source}.example/${resource}/${id}/error`,
    ])
    expect(JSON.parse(sentOn.body ?? '')).toMatchObject({ errorInformation: { errorCode: '3201' } })
  })
})

describe('Requests to pay', () => {
  test.each([undefined, '', 'Hub'])(
    'A request to pay without a destination (%p) is sent to the FSP of the payer',
    async (destination) => {
      expect(
        await edge.outcomeOf(withHeaders(request, { 'fspiop-destination': destination })),
      ).toBe('202')
      const sentOn = edge.onlyMessage()
      expect(sentOn.payload['destinationFspId']).toBe('greenbank')
      expect(sentOn.headers?.['fspiop-destination']).toBe('greenbank')
    },
  )

  const { fspId, ...payer } = transactionRequest.payer
  test('A request to pay that names no FSP is refused', async () => {
    expect(fspId).toBe('greenbank')
    const nameless = withMembers(request, { payer })
    expect(await edge.outcomeOf(withHeaders(nameless, { 'fspiop-destination': undefined }))).toBe(
      '400 3102 header fspiop-destination',
    )
  })

  const payee = { partyIdInfo: { ...transactionRequest.payee.partyIdInfo, fspId: 'greenbank' } }
  test.each([
    [{ transactionRequestId: undefined }, '400 3102 /transactionRequestId'],
    [{ transactionRequestId: 'x' }, '400 3101 /transactionRequestId'],
    [{ payee }, '400 3100 header fspiop-source is not the FSP of the payee'],
    [{ payer: undefined }, '400 3102 /payer'],
    [{ amount: { currency: 'USD', amount: '01' } }, '400 3101 /amount/amount'],
    [{ authenticationType: 'FACE' }, '400 3101 /authenticationType'],
    [{ expiration: 'soon' }, '400 3101 /expiration'],
  ])('A request to pay with %j is refused: %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(request, changed))).slice(0, outcome.length)).toBe(
      outcome,
    )
    expect(edge.published).toEqual([])
  })

  test('The answer to a request to pay has a state of the API, or any state with Mojaloop compatibility', async () => {
    const answer = message('PUT', `/transactionRequests/${id}`, {
      transactionRequestState: 'PONDERED',
    })
    expect(await edge.outcomeOf(answer)).toMatch(/^400 3101 \/transactionRequestState/)
    expect(await lenient.outcomeOf(answer)).toBe('200')
  })
})

describe('Authorizations', () => {
  const ask = (query: string) => edge.outcomeOf(message('GET', `/authorizations/${id}?${query}`))
  test.each([
    ['', '400 3102 query parameter authenticationType'],
    [otp.replace('authenticationType=OTP&', ''), '400 3102 query parameter authenticationType'],
    [otp.replace('retriesLeft=2&', ''), '400 3102 query parameter retriesLeft'],
    [otp.replace('=2', '=two'), '400 3101 query parameter retriesLeft'],
    [otp.replace('OTP', 'FACE'), '400 3100 query parameter authenticationType'],
    [otp.replace('102', '102.50'), '400 3101 query parameter amount'],
    [otp.replace('USD', 'usd'), '400 3101 query parameter currency'],
    [`${otp}&amount=1`, '400 3101 query parameter amount: given twice'],
    [`${otp}&more=1`, '202'],
  ])('A query for an authorization with ?%s is answered with %s', async (query, outcome) => {
    expect((await ask(query)).slice(0, outcome.length)).toBe(outcome)
  })

  const answer = (body: object) => message('PUT', `/authorizations/${id}`, body)
  const authenticationInfo = { authentication: 'OTP', authenticationValue: '0123' }
  test.each([
    [{ responseType: 'ENTERED', authenticationInfo }, '200'],
    [{ responseType: 'RESEND' }, '200'],
    [{ responseType: 'ENTERED' }, '400 3102 /authenticationInfo'],
    [{ responseType: 'SMILED' }, '400 3101 /responseType'],
    [{}, '400 3102 /responseType'],
  ])('An authorization with %j is answered with %s', async (body, outcome) => {
    expect((await edge.outcomeOf(answer(body))).slice(0, outcome.length)).toBe(outcome)
  })

  test('An authorization may have any response type with Mojaloop compatibility', async () => {
    expect(await lenient.outcomeOf(answer({ responseType: 'SMILED' }))).toBe('200')
  })
})

test.each([
  [{}, '400 3102 /transactionState'],
  [{ transactionState: 'LOST' }, '400 3101 /transactionState'],
  [{ transactionState: 'COMPLETED', code: 'ABCD1234' }, '200'],
  [{ transactionState: 'COMPLETED', completedTimestamp: 'now' }, '400 3101 /completedTimestamp'],
])('The state of a transaction with %j is answered with %s', async (body, outcome) => {
  const answer = await edge.outcomeOf(message('PUT', `/transactions/${id}`, body))
  expect(answer.slice(0, outcome.length)).toBe(outcome)
})

test.each([
  'PUT /transactionRequests/{ID}/error',
  'PUT /authorizations/{ID}/error',
  'PUT /transactions/{ID}/error',
])('%s without errorInformation is refused', async (operation) => {
  const path = operation.slice(4).replace('{ID}', id)
  expect(await edge.outcomeOf(message('PUT', path, {}))).toBe('400 3102 /errorInformation')
})

describe('Unsolicited answers', () => {
  const bounded = () => openEdge({ FSPIOP_API_UNSOLICITED_ANSWERS_MAX: 3 })
  const party = '/parties/MSISDN/123456789'
  const partyFrom = (source: string, destination: string) => {
    const info = { ...partyAnswer.party.partyIdInfo, fspId: source }
    return withHeaders(message('PUT', party, { party: { partyIdInfo: info } }), {
      'fspiop-source': source,
      'fspiop-destination': destination,
    })
  }
  const tooMany = '503 2005 more answers to that FSP than it has requested; try again later'

  test('Unsolicited answers above the quota are refused, and others may still answer the same FSP', async () => {
    const own = bounded()
    own.participants.set('redcredit', reachable('redcredit'))
    const flood: string[] = []
    for (let at = 0; at < 100; at++)
      flood.push(await own.outcomeOf(partyFrom('redcredit', 'greenbank')))
    expect(flood.slice(0, 3)).toEqual(['200', '200', '200'])
    expect(new Set(flood.slice(3))).toEqual(new Set([tooMany]))
    expect(await own.outcomeOf(partyFrom('bluewallet', 'greenbank'))).toBe('200')
    expect(await own.outcomeOf(partyFrom('redcredit', 'bluewallet'))).toBe('200')
    expect(own.published).toHaveLength(5)
  })

  const answers = every
    .filter(({ sent: { method } }) => method === 'PUT')
    .map(({ operation, sent }): readonly [string, TestMessage] => [operation, sent])
  test.each(answers)(
    'Answers that no service matches with a request have a quota: %s',
    async (operation, sent) => {
      const strict = openEdge({ FSPIOP_API_UNSOLICITED_ANSWERS_MAX: 0 })
      const isOwned = /^PUT \/(transfers|quotes|bulkQuotes|bulkTransfers)\//.test(operation)
      expect(await strict.outcomeOf(sent)).toBe(isOwned ? '200' : tooMany)
    },
  )

  test('Answers are allowed again when that FSP sends requests', async () => {
    const own = bounded()
    for (let at = 0; at < 4; at++) await own.outcomeOf(partyFrom('bluewallet', 'greenbank'))
    expect(await own.outcomeOf(partyFrom('bluewallet', 'greenbank'))).toBe(tooMany)
    expect(await own.outcomeOf(message('GET', party))).toBe('202')
    expect(await own.outcomeOf(partyFrom('bluewallet', 'greenbank'))).toBe('200')
  })
})

describe('Messages that could not be delivered', () => {
  type Report = Payload<'NotifyReport'>['reports'][number]

  async function failed(report: Partial<Report>, sent = request, notice = {}) {
    await edge.outcomeOf(sent)
    const { payload } = edge.onlyMessage()
    const { notificationId, cause, legRole, destinationFspId, onFailure } =
      payload as Payload<'NotifyRequested'>
    const line: Report = {
      notificationId,
      cause,
      legRole,
      destinationFspId,
      status: 'FAILED',
      attempts: 3,
      duration_ms: 5,
      reportedAt: receivedAt,
      ...(onFailure === undefined ? {} : { onFailure: { ...onFailure, ...notice } }),
      ...report,
    }
    const reports = newEvent('notifications', 'NotifyReport', { reports: [line] })
    const event = {
      name: 'NotifyReport',
      id: reports.id,
      time: receivedAt,
      payload: reports.payload,
      relay: undefined,
      traceparent: undefined,
    } as DomainEvent<'NotifyReport'>
    const messages = await callbackMessages(
      failureCallbacks(event),
      edge.callbacks,
      new Date(receivedAt),
    )
    return messages.map(publishedMessage)
  }

  const outcome = async (report: Partial<Report>, notice: Partial<Report['onFailure']> = {}) => {
    const [sentOn, ...others] = await failed(report, request, notice)
    expect(others).toEqual([])
    const url = `http://bluewallet.example/transactionRequests/${id}/error`
    expect(deliveries(sentOn === undefined ? [] : [sentOn])).toEqual([`bluewallet: PUT ${url}`])
    expect(sentOn?.payload['headers']).toMatchObject({
      'fspiop-source': 'Hub',
      'content-type': mediaType('1.1', 'transactionRequests'),
    })
    return (JSON.parse(sentOn?.body ?? '') as typeof error).errorInformation
  }

  test.each([
    ['no answer', {}, '1001'],
    ['503', { httpStatus: 503 }, '1001'],
    ['500', { httpStatus: 500, errorInformation }, '1001'],
    ['a redirect', { httpStatus: 302 }, '1001'],
    ['400 without an error', { httpStatus: 400 }, '3000'],
    ['501', { httpStatus: 501 }, '2002'],
    ['406 without an error', { httpStatus: 406 }, '3001'],
  ])(
    'A message that failed with %s is reported to its sender',
    async (_title, report, errorCode) => {
      expect(await outcome(report)).toMatchObject({ errorCode })
    },
  )

  test.each([
    ['before its own expiration', '2026-11-21T10:00:00.001Z', '1001'],
    ['at its own expiration', '2026-11-21T10:00:00.000Z', '3301'],
  ])(
    'A message that got no answer, and failed %s, is reported as what happened',
    async (_title, at, errorCode) => {
      const expired = { errorCode: '3301', errorDescription: 'Transaction request expired' }
      const reported = { reportedAt: '2026-11-21T10:00:00.000Z' }
      const expiry = { at, errorInformation: expired }
      expect(await outcome(reported, { expiry })).toMatchObject({ errorCode })
      const refused = { ...reported, httpStatus: 400, errorInformation }
      expect(await outcome(refused, { expiry })).toEqual(errorInformation)
      const redirected = { ...reported, httpStatus: 302 }
      expect(await outcome(redirected, { expiry })).toMatchObject({ errorCode: '1001' })
    },
  )

  test('The error callback names the reason why a message was never sent', async () => {
    const modified = { errorCode: '3106', errorDescription: 'Modified request' }
    expect(await outcome({ attempts: 0, errorInformation: modified })).toEqual(modified)
  })

  test("The error callback has the receiver's own error when it refused the message", async () => {
    expect(await outcome({ httpStatus: 400, errorInformation })).toEqual(errorInformation)
    const versions = {
      errorCode: '3001',
      errorDescription: 'Unacceptable version requested',
      extensionList: { extension: [{ key: '1', value: '0' }] },
    }
    expect(await outcome({ httpStatus: 406, errorInformation: versions })).toEqual(versions)
  })

  test('A delivered message and an error are not reported to their sender', async () => {
    expect(await failed({ status: 'SUCCESS', httpStatus: 202 })).toEqual([])
    const refusal = message('PUT', `/transactionRequests/${id}/error`, error)
    expect(await failed({}, refusal)).toEqual([])
  })

  test('Repeated reports of a failure give the same error callback', async () => {
    const one = await failed({ notificationId: 'n' })
    const again = await failed({ notificationId: 'n' })
    expect(one[0]?.payload['notificationId']).toBe(again[0]?.payload['notificationId'])
  })
})

describe('POST /transactionRequests', () => {
  const keyOf = async (sent: TestMessage) => {
    edge.published.splice(0)
    await edge.outcomeOf(sent)
    return (edge.onlyMessage().payload as Payload<'NotifyRequested'>).idempotency
  }

  test('A transaction request has its id as its idempotency key', async () => {
    const first = await keyOf(request)
    expect(first).toMatchObject({
      key: `transactionRequests/${transactionRequest.transactionRequestId}`,
      refusal: {
        errorCode: '3106',
        errorDescription: 'Modified request - the id was used before',
      },
    })
    const reordered = Object.fromEntries(Object.entries(transactionRequest).toReversed())
    expect(await keyOf(message('POST', '/transactionRequests', reordered))).toEqual(first)
    for (const changed of [
      withMembers(request, { note: 'another' }),
      withHeaders(request, { 'fspiop-destination': 'otherbank' }),
    ]) {
      const other = await keyOf(changed)
      expect(other?.key).toBe(first?.key)
      expect(other?.content).not.toBe(first?.content)
    }
  })

  test('A transaction request is the only relayed message with an idempotency key', async () => {
    const others = passedOn.filter(([operation]) => operation !== 'POST /transactionRequests')
    for (const [, sent] of others) {
      expect(await keyOf(sent)).toBeUndefined()
    }
  })
})
