import { afterEach, describe, expect, test } from '@jest/globals'
import { deliveries, openEdge, receivedAt, callbacksFor } from '../testing/edge.ts'
import {
  errorInformation,
  expiration,
  id,
  mediaType,
  message,
  quoteAnswer,
  quoteRequest,
  withHeaders,
  withMembers,
} from '../testing/messages.ts'

const edge = openEdge()
afterEach(() => {
  edge.published.splice(0)
})

const ask = message('POST', '/quotes', quoteRequest)
const answer = message('PUT', `/quotes/${id}`, quoteAnswer)
const refuse = message('PUT', `/quotes/${id}/error`, { errorInformation })
const query = message('GET', `/quotes/${id}`)
const version = '1.1'
const hash = expect.stringMatching(/^[\w-]{43}$/)

describe('Requests for quotes', () => {
  test('A request becomes its event with every member, and its bytes and headers as received', async () => {
    const extensionList = { extension: [{ key: 'k', value: 'v' }] }
    const geoCode = { latitude: '+45.4215', longitude: '-75.6972' }
    const sent = withMembers(ask, {
      fees: { currency: 'USD', amount: '1.5' },
      transactionRequestId: id,
      note: 'ünï¢ode – Ж 名',
      geoCode,
      extensionList,
      unknown: [1],
    })
    const body = String(sent.body).replace('{', '{ \n')
    expect(await edge.outcomeOf({ ...sent, body })).toBe('202')
    const event = edge.onlyMessage()
    expect(event.payload).toEqual({
      ...quoteRequest,
      requesterFspId: 'greenbank',
      destinationFspId: 'bluewallet',
      fees: { currency: 'USD', amount: '1.5' },
      transactionRequestId: id,
      note: 'ünï¢ode – Ж 名',
      geoCode,
      extensionList,
      payloadHash: hash,
      version,
    })
    expect(event.body).toBe(body)
    expect(event.headers).toEqual(sent.headers)
  })

  test('Names in any script are relayed byte for byte', async () => {
    const names = ['Zoë', 'Zoe\u0308', 'Ngũgĩ', 'محمد', '王小明', 'ကျော်', '😀', 'O’Brien-"Bé\\"']
    for (const name of names) {
      const payee = { ...quoteRequest.payee, name }
      const sent = withMembers(ask, { payee })
      expect([name, await edge.outcomeOf(sent)]).toEqual([name, '202'])
      const event = edge.onlyMessage()
      expect(event.body).toBe(sent.body)
      expect(event.payload).toMatchObject({ payee: { name } })
    }
  })

  test.each([undefined, '', 'Hub'])(
    'A request without a destination (%p) is sent to the FSP of the payee',
    async (destination) => {
      const sent = withHeaders(ask, { 'fspiop-destination': destination })
      expect(await edge.outcomeOf(sent)).toBe('202')
      const event = edge.onlyMessage()
      expect(event.payload).not.toHaveProperty('destinationFspId')
      expect(event.headers?.['fspiop-destination']).toBe('bluewallet')
    },
  )

  test('A request needs its destination with Mojaloop compatibility', async () => {
    const strict = openEdge({ COMPATIBILITY: 'mojaloop' })
    const sent = withHeaders(ask, { 'fspiop-destination': undefined })
    expect(await strict.outcomeOf(sent)).toBe('400 3102 header fspiop-destination')
  })

  const info = (fspId: string) => ({ ...quoteRequest.payer.partyIdInfo, fspId })
  test.each([
    [{ quoteId: undefined }, '400 3102 /quoteId'],
    [{ quoteId: 'x' }, '400 3101 /quoteId'],
    [{ transactionId: undefined }, '400 3102 /transactionId'],
    [{ payee: undefined }, '400 3102 /payee'],
    [{ payee: {} }, '400 3102 /payee/partyIdInfo'],
    [{ payer: 'greenbank' }, '400 3101 /payer'],
    [{ amountType: 'BOTH' }, '400 3101 /amountType'],
    [{ amount: { currency: 'USD', amount: '5.50' } }, '400 3101 /amount/amount'],
    [{ amount: { currency: 'ZZZ', amount: '5' } }, '400 3101 /amount/currency'],
    [{ amount: { amount: '5' } }, '400 3102 /amount/currency'],
    [{ transactionType: { scenario: 'TRANSFER' } }, '400 3102 /transactionType/initiator'],
    [{ expiration: '2030-01-01' }, '400 3101 /expiration'],
    [{ note: '' }, '400 3100 /note'],
    [{ note: 'x'.repeat(129) }, '400 3100 /note'],
    [{ geoCode: { latitude: 'north', longitude: '1' } }, '400 3101 /geoCode/latitude'],
    [
      {
        extensionList: { extension: Array.from({ length: 17 }, () => ({ key: 'k', value: 'v' })) },
      },
      '400 3103 /extensionList/extension',
    ],
    [
      { payer: { partyIdInfo: info('bluewallet') } },
      '400 3100 header fspiop-source is not the FSP',
    ],
    [{ payer: { partyIdInfo: info('x'.repeat(33)) } }, '400 310'],
  ])('A request with %j is refused: %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(ask, changed))).slice(0, outcome.length)).toBe(outcome)
    expect(edge.published).toEqual([])
  })
})

describe('Answers to quotes', () => {
  test('An answer becomes its event, with its bytes', async () => {
    expect(await edge.outcomeOf(answer)).toBe('200')
    const event = edge.onlyMessage()
    const { ilpPacket, ...known } = quoteAnswer
    expect(ilpPacket).toBeDefined()
    expect(event.payload).toEqual({
      ...known,
      quoteId: id,
      requesterFspId: 'bluewallet',
      destinationFspId: 'greenbank',
      payloadHash: hash,
      version,
    })
    expect(event.body).toBe(answer.body)
    expect(event.headers).toEqual(answer.headers)
  })

  test.each([
    [{ transferAmount: undefined }, '400 3102 /transferAmount'],
    [{ expiration: undefined }, '400 3102 /expiration'],
    [{ ilpPacket: undefined }, '400 3102 /ilpPacket'],
    [{ condition: 'short' }, '400 310'],
    [
      { payeeReceiveAmount: { currency: 'USD', amount: 98 } },
      '400 3101 /payeeReceiveAmount/amount',
    ],
  ])('An answer with %j is refused: %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(answer, changed))).slice(0, outcome.length)).toBe(
      outcome,
    )
  })

  test.each([undefined, '', 'Hub'])(
    'An answer without a destination (%p) is accepted: the stored quote names the recipient',
    async (destination) => {
      for (const sent of [answer, refuse]) {
        expect(await edge.outcomeOf(withHeaders(sent, { 'fspiop-destination': destination }))).toBe(
          '200',
        )
        expect(edge.onlyMessage().payload).not.toHaveProperty('destinationFspId')
      }
      expect(await edge.outcomeOf(withHeaders(query, { 'fspiop-destination': destination }))).toBe(
        '202',
      )
      expect(edge.onlyMessage().payload).not.toHaveProperty('destinationFspId')
    },
  )

  test('An error answer becomes its event, with any code', async () => {
    const sent = withMembers(refuse, {
      errorInformation: { errorCode: '5999', errorDescription: 'näh' },
    })
    expect(await edge.outcomeOf(sent)).toBe('200')
    expect(edge.onlyMessage()).toMatchObject({
      name: 'QuoteRejectReceived',
      payload: {
        quoteId: id,
        requesterFspId: 'bluewallet',
        destinationFspId: 'greenbank',
        errorInformation: { errorCode: '5999', errorDescription: 'näh' },
      },
      body: sent.body,
    })
  })

  test.each([
    [undefined, '400 3102 /errorInformation'],
    [{ errorCode: '5104' }, '400 3102 /errorInformation/errorDescription'],
    [{ errorCode: '51', errorDescription: 'x' }, '400 3101 /errorInformation/errorCode'],
  ])('An error answer with %j is refused: %s', async (wrong, outcome) => {
    const sent = withMembers(refuse, { errorInformation: wrong })
    expect((await edge.outcomeOf(sent)).slice(0, outcome.length)).toBe(outcome)
  })
})

test('A query becomes its event, and can be relayed as received', async () => {
  expect(await edge.outcomeOf(query)).toBe('202')
  expect(edge.onlyMessage()).toMatchObject({
    name: 'QuoteQueryReceived',
    payload: { quoteId: id, requesterFspId: 'greenbank', destinationFspId: 'bluewallet', version },
    body: '',
    headers: query.headers,
  })
})

describe('Callbacks of quotes', () => {
  const headers = Buffer.from(JSON.stringify({ 'fspiop-signature': 'theirs' }))
  const relay = { body: Buffer.from('{ }'), headers }
  const to = { quoteId: id, requesterFspId: 'greenbank', version: '1.0' }
  const at = 'http://bluewallet.example/quotes'
  const back = `http://greenbank.example/quotes/${id}`
  const request = {
    ...quoteRequest,
    amountType: 'SEND' as const,
    requesterFspId: 'greenbank',
    destinationFspId: 'bluewallet',
    payloadHash: 'h',
    version,
  }

  test('A request is sent as POST to the payee FSP, with the bytes of the payer FSP, until it expires', async () => {
    const [event, ...others] = await callbacksFor(edge, 'QuoteRequestAccepted', request, { relay })
    expect(others).toEqual([])
    expect(event?.payload).toMatchObject({
      entityId: id,
      cause: { msgName: 'QuoteRequestAccepted', entityId: id },
      legRole: 'PAYEE',
      destinationFspId: 'bluewallet',
      transport: { type: 'HTTP', method: 'POST', url: at },
      headers: { 'fspiop-destination': 'bluewallet' },
      deadline: expiration,
      reportRequired: true,
    })
    expect([event?.body, event?.headers]).toEqual(['{ }', { 'fspiop-signature': 'theirs' }])
    expect(event?.payload).not.toHaveProperty('onFailure')
  })

  const onFailure = {
    requesterFspId: 'greenbank',
    operation: 'PUT /quotes/{ID}/error',
    path: `/quotes/${id}/error`,
  }

  test('The payer FSP of a request that no service stored receives an error when delivery fails', async () => {
    const unstored = { ...request, isUnstored: true } as const
    const [event] = await callbacksFor(edge, 'QuoteRequestAccepted', unstored, { relay })
    const expired = expect.objectContaining({ errorCode: '3302' })
    const expiry = { at: expiration, errorInformation: expired }
    expect(event?.payload).toMatchObject({
      onFailure: { ...onFailure, expiry },
      reportRequired: true,
    })
    const astray = { ...unstored, destinationFspId: 'nobody' }
    const outcome = await callbacksFor(edge, 'QuoteRequestAccepted', astray, { relay })
    expect(deliveries(outcome.slice(0, 1))).toEqual([`greenbank: PUT ${back}/error`])
    expect(outcome[0]?.body).toContain('"errorCode":"3201"')
  })

  test('A request without an expiration is tried as long as any relayed message', async () => {
    const { expiration: _, ...lasting } = request
    const [event] = await callbacksFor(edge, 'QuoteRequestAccepted', lasting, { relay })
    const retry = edge.callbacks.relay_ms()
    expect(event?.payload['deadline']).toBe(new Date(Date.parse(receivedAt) + retry).toISOString())
  })

  test('An answer and an error are sent as PUT to the payer FSP, with the bytes of the payee FSP', async () => {
    const response = {
      ...quoteAnswer,
      quoteId: id,
      requesterFspId: 'bluewallet',
      destinationFspId: 'greenbank',
      payloadHash: 'h',
      version,
    }
    const accepted = await callbacksFor(edge, 'QuoteResponseAccepted', response, { relay })
    expect(deliveries(accepted)).toEqual([`greenbank: PUT ${back}`])
    const sides = { quoteId: id, payerFspId: 'greenbank', payeeFspId: 'bluewallet' }
    const refusal = { ...sides, payerVersion: '1.0', errorInformation }
    const rejected = await callbacksFor(edge, 'QuoteRejectAccepted', refusal, { relay })
    expect(deliveries(rejected)).toEqual([`greenbank: PUT ${back}/error`])
    for (const [event] of [accepted, rejected]) expect(event?.body).toBe('{ }')
    const [created] = await callbacksFor(edge, 'QuoteRejectAccepted', refusal)
    expect(created?.payload['headers']).toMatchObject({
      'fspiop-source': 'Hub',
      'content-type': mediaType('1.0', 'quotes'),
    })
    expect(created?.body).toBe(JSON.stringify({ errorInformation }))
  })

  test('A query is sent as GET to the FSP that has the quote, as received', async () => {
    const payload = { ...to, destinationFspId: 'bluewallet' }
    const [event, ...others] = await callbacksFor(edge, 'QuoteQueryForwarded', payload, { relay })
    expect(others).toEqual([])
    expect(event?.payload).toMatchObject({
      transport: { method: 'GET', url: `${at}/${id}` },
      onFailure,
      deadline: new Date(Date.parse(receivedAt) + edge.callbacks.question_ms()).toISOString(),
    })
  })

  test('A stored answer is sent with the headers of the payee FSP as its own message, else as one of the hub', async () => {
    const asked = { ...to, legRole: 'PAYER' as const }
    const [own] = await callbacksFor(edge, 'QuoteQueryResponse', asked, { relay })
    expect(own?.payload['headers']).toEqual({ 'fspiop-destination': 'greenbank' })
    const [created] = await callbacksFor(edge, 'QuoteQueryResponse', asked, {
      relay: { body: relay.body },
    })
    expect(created?.body).toBe('{ }')
    expect(created?.headers).toBeUndefined()
    expect(created?.payload['headers']).toEqual({
      'content-type': mediaType('1.0', 'quotes'),
      date: 'Sat, 21 Nov 2026 10:00:00 GMT',
      'fspiop-source': 'Hub',
      'fspiop-destination': 'greenbank',
      'fspiop-http-method': 'PUT',
      'fspiop-uri': `/quotes/${id}`,
    })
    const none = await callbacksFor(edge, 'QuoteQueryResponse', { ...asked, errorInformation })
    expect(deliveries(none)).toEqual([`greenbank: PUT ${back}/error`])
  })

  test('A request that cannot be served is answered with an error of the hub', async () => {
    const failed = { ...to, errorInformation }
    const all = [
      await callbacksFor(edge, 'InvalidQuoteRequest', failed),
      await callbacksFor(edge, 'InvalidFSPInQuoteRequest', { ...failed, role: 'PAYEE' }),
      await callbacksFor(edge, 'RuleViolatedInQuoteRequest', { ...failed, ruleId: 'r' }),
    ]
    for (const messages of all) {
      expect(deliveries(messages)).toEqual([`greenbank: PUT ${back}/error`])
      expect(messages[0]?.body).toBe(JSON.stringify({ errorInformation }))
    }
  })

  test('An answer that violates a rule is answered with an error to both FSPs, each in its version', async () => {
    const messages = await callbacksFor(edge, 'RuleViolatedInQuoteResponse', {
      quoteId: id,
      payerFspId: 'greenbank',
      payeeFspId: 'bluewallet',
      payerVersion: '1.0',
      payeeVersion: '1.1',
      ruleId: 'r',
      errorInformation,
    })
    expect(deliveries(messages)).toEqual([
      `greenbank: PUT ${back}/error`,
      `bluewallet: PUT ${at}/${id}/error`,
    ])
    const types = messages.map(
      ({ payload }) => (payload['headers'] as Record<string, string>)['content-type'],
    )
    expect(types).toEqual([mediaType('1.0', 'quotes'), mediaType('1.1', 'quotes')])
  })

  test('Callbacks of quotes use their registered addresses', async () => {
    const own = openEdge()
    const endpoints = new Map([['FSPIOP_CALLBACK_URL_QUOTES', 'https://q.example/api/']])
    own.participants.set('greenbank', {
      name: 'greenbank',
      isActive: false,
      isClosed: false,
      endpoints,
      accounts: [],
    })
    const messages = await callbacksFor(own, 'InvalidQuoteRequest', { ...to, errorInformation })
    expect(deliveries(messages)).toEqual([
      `greenbank: PUT https://q.example/api/quotes/${id}/error`,
    ])
  })
})
