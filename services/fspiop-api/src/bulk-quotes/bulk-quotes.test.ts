import { describe, expect, test } from '@jest/globals'
import { bulkQuoteAnswer, bulkQuoteRequest, itemId } from '../testing/bulk-messages.ts'
import { deliveries, openEdge, receivedAt, callbacksFor } from '../testing/edge.ts'
import {
  errorInformation,
  expiration,
  id,
  message,
  withHeaders,
  withMembers,
} from '../testing/messages.ts'

const request = message('POST', '/bulkQuotes', bulkQuoteRequest(2))
const answer = message('PUT', `/bulkQuotes/${id}`, bulkQuoteAnswer(2))
const usd = (amount: string) => ({ currency: 'USD', amount })

describe('POST /bulkQuotes', () => {
  test('POST /bulkQuotes becomes an event with the members that decide each item, and the bytes as received', async () => {
    const edge = openEdge()
    expect(await edge.outcomeOf(request)).toBe('202')
    const event = edge.onlyMessage()
    expect(event).toMatchObject({ name: 'BulkQuoteRequestReceived', key: id, body: request.body })
    expect(event.payload).toEqual({
      bulkQuoteId: id,
      requesterFspId: 'greenbank',
      destinationFspId: 'bluewallet',
      payerFspId: 'greenbank',
      expiration,
      individualQuotes: [0, 1].map((at) => ({
        quoteId: itemId(at),
        transactionId: itemId(at),
        payeeFspId: 'bluewallet',
        partyIdType: 'MSISDN',
        partyIdentifier: `10000000${at}`,
        amountType: 'SEND',
        amount: usd('10'),
        scenario: 'TRANSFER',
      })),
      payloadHash: expect.stringMatching(/^[\w-]{43}$/),
      version: '1.1',
    })
  })

  test('A bulk quote without a destination is relayed with the FSP of its first item as the destination', async () => {
    const edge = openEdge()
    expect(await edge.outcomeOf(withHeaders(request, { 'fspiop-destination': undefined }))).toBe(
      '202',
    )
    const { payload, headers } = edge.onlyMessage()
    expect(payload).not.toHaveProperty('destinationFspId')
    expect(headers).toMatchObject({ 'fspiop-destination': 'bluewallet' })
  })

  test('A bulk quote without a destination is refused with Mojaloop compatibility', async () => {
    const edge = openEdge({ COMPATIBILITY: 'mojaloop' })
    expect(await edge.outcomeOf(withHeaders(request, { 'fspiop-destination': undefined }))).toBe(
      '400 3102 header fspiop-destination',
    )
  })

  test.each([
    ['no item', { individualQuotes: [] }, '400 3100'],
    ['1,001 items', { individualQuotes: bulkQuoteRequest(1_001).individualQuotes }, '400 3103'],
    ['another payer FSP', { payer: bulkQuoteAnswerer() }, '400 3100'],
    ['a fault of an item', { individualQuotes: [{}] }, '400 3102 /individualQuotes/0/quoteId'],
  ])('A bulk quote with %s is refused', async (_what, changes, expected) => {
    const edge = openEdge()
    const outcome = await edge.outcomeOf(withMembers(request, changes))
    expect(outcome.slice(0, expected.length)).toBe(expected)
    expect(edge.published).toEqual([])
  })

  test('A bulk quote may encrypt the payee of an item, but not its amount', async () => {
    const edge = openEdge()
    const [item] = bulkQuoteRequest(1).individualQuotes
    const hiding = (name: string) =>
      withHeaders(withMembers(request, { individualQuotes: [{ ...item, [name]: 'Y2lwaGVy' }] }), {
        'fspiop-encryption': JSON.stringify({
          encryptedFields: {
            encryptedField: [
              {
                fieldName: `individualQuotes.0.${name}`,
                encryptedKey: 'k',
                protectedHeader: 'p',
                initializationVector: 'i',
                authenticationTag: 't',
              },
            ],
          },
        }),
      })
    expect(await edge.outcomeOf(hiding('payee'))).toBe('202')
    const [quote] = edge.onlyMessage().payload['individualQuotes'] as readonly object[]
    expect(quote).not.toHaveProperty('payeeFspId')
    expect(await edge.outcomeOf(hiding('amount'))).toBe(
      '400 3100 header fspiop-encryption: individualQuotes.0.amount must be in clear',
    )
  })
})

test('PUT /bulkQuotes/{ID} becomes an event with the members of each item that rules examine', async () => {
  const edge = openEdge()
  const [quoted] = bulkQuoteAnswer(1).individualQuoteResults
  const refused = { quoteId: itemId(1), errorInformation: { ...errorInformation, extensionList } }
  const sent = withMembers(answer, { individualQuoteResults: [quoted, refused] })
  expect(await edge.outcomeOf(sent)).toBe('200')
  expect(edge.onlyMessage()).toMatchObject({
    name: 'BulkQuoteResponseReceived',
    key: id,
    body: sent.body,
    payload: {
      bulkQuoteId: id,
      requesterFspId: 'bluewallet',
      destinationFspId: 'greenbank',
      individualQuoteResults: [
        { quoteId: itemId(0), transferAmount: usd('10'), payeeFspFee: usd('0.5') },
        { quoteId: itemId(1), errorInformation },
      ],
      expiration,
    },
  })
})

test('PUT /bulkQuotes/{ID} needs no results and no destination', async () => {
  const edge = openEdge()
  const sent = withMembers(answer, { individualQuoteResults: undefined })
  expect(await edge.outcomeOf(withHeaders(sent, { 'fspiop-destination': undefined }))).toBe('200')
  expect(edge.onlyMessage().payload).toMatchObject({
    individualQuoteResults: [],
  })
})

test('An answer of an inactive FSP to a bulk quote is accepted, a request is not', async () => {
  const edge = openEdge()
  const inactive = { 'fspiop-source': 'sleeper' }
  expect(await edge.outcomeOf(withHeaders(answer, inactive))).toBe('200')
  expect(await edge.outcomeOf(withHeaders(request, inactive))).toMatch(/^400 3100/)
})

describe('Callbacks of bulk quotes', () => {
  const edge = openEdge()
  const about = { bulkQuoteId: id, version: '1.0' }
  const relay = { body: Buffer.from('{"a":1}'), headers: Buffer.from('{"date":"today"}') }
  const created = { body: relay.body }
  const toPayee = { ...about, requesterFspId: 'greenbank', destinationFspId: 'bluewallet' }
  const toPayer = {
    ...about,
    requesterFspId: 'bluewallet',
    destinationFspId: 'greenbank',
    payerVersion: '1.0',
    version: '1.1',
  }

  test('Callbacks of bulk quotes relay the messages of FSPs byte for byte with their headers', async () => {
    const outcome = [
      ...(await callbacksFor(
        edge,
        'BulkQuoteRequestAccepted',
        { ...toPayee, expiration },
        { relay },
      )),
      ...(await callbacksFor(edge, 'BulkQuoteResponseAccepted', toPayer, { relay })),
      ...(await callbacksFor(edge, 'BulkQuoteQueryForwarded', toPayee, { relay })),
    ]
    expect(deliveries(outcome)).toEqual([
      'bluewallet: POST http://bluewallet.example/bulkQuotes',
      `greenbank: PUT http://greenbank.example/bulkQuotes/${id}`,
      `bluewallet: GET http://bluewallet.example/bulkQuotes/${id}`,
    ])
    expect(outcome.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}', '{"a":1}'])
    expect(outcome[0]).toMatchObject({
      headers: { date: 'today' },
      payload: { deadline: expiration },
    })
  })

  test('Bulk quotes that the hub changed are sent in its own name, with the encrypted members named', async () => {
    const encryption = '{"encryptedFields":{}}'
    const [post] = await callbacksFor(
      edge,
      'BulkQuoteRequestAccepted',
      { ...toPayee, encryption },
      { relay: created },
    )
    expect(post).toMatchObject({ body: '{"a":1}', headers: undefined })
    expect(post?.payload['headers']).toEqual({
      'content-type': 'application/vnd.interoperability.bulkQuotes+json;version=1.0',
      accept: 'application/vnd.interoperability.bulkQuotes+json;version=1.0',
      date: new Date(receivedAt).toUTCString(),
      'fspiop-source': 'Hub',
      'fspiop-destination': 'bluewallet',
      'fspiop-http-method': 'POST',
      'fspiop-uri': '/bulkQuotes',
      'fspiop-encryption': encryption,
    })
    const [put] = await callbacksFor(edge, 'BulkQuoteResponseAccepted', toPayer, { relay: created })
    expect(put?.payload['headers']).toMatchObject({
      'content-type': 'application/vnd.interoperability.bulkQuotes+json;version=1.0',
      'fspiop-source': 'Hub',
      'fspiop-uri': `/bulkQuotes/${id}`,
    })
    expect(put?.payload['headers']).not.toHaveProperty('accept')
  })

  test('The payer FSP of a bulk quote receives refusals, the payee FSP the rules that its answer violates', async () => {
    const refused = { ...about, requesterFspId: 'greenbank' }
    const outcome = [
      ...(await callbacksFor(edge, 'InvalidBulkQuoteRequest', { ...refused, errorInformation })),
      ...(await callbacksFor(edge, 'InvalidFSPInBulkQuoteRequest', {
        ...refused,
        errorInformation,
        role: 'PAYEE',
      })),
      ...(await callbacksFor(edge, 'BulkQuoteItemsRefused', refused, { relay: created })),
      ...(await callbacksFor(
        edge,
        'RuleViolatedInBulkQuoteResponse',
        { bulkQuoteId: id, payeeFspId: 'bluewallet', payeeVersion: '1.1' },
        { relay: created },
      )),
    ]
    const greenbank = `greenbank: PUT http://greenbank.example/bulkQuotes/${id}`
    expect(deliveries(outcome)).toEqual([
      `${greenbank}/error`,
      `${greenbank}/error`,
      greenbank,
      `bluewallet: PUT http://bluewallet.example/bulkQuotes/${id}`,
    ])
  })

  test('The query for a bulk quote is answered with the stored answer, or with an error', async () => {
    const asked = { ...about, requesterFspId: 'greenbank', legRole: 'PAYER' } as const
    const outcome = [
      ...(await callbacksFor(edge, 'BulkQuoteQueryResponse', asked, { relay })),
      ...(await callbacksFor(edge, 'BulkQuoteQueryResponse', { ...asked, errorInformation })),
    ]
    const greenbank = `greenbank: PUT http://greenbank.example/bulkQuotes/${id}`
    expect(deliveries(outcome)).toEqual([greenbank, `${greenbank}/error`])
    expect(outcome[1]?.body).toBe(JSON.stringify({ errorInformation }))
  })

  test('Callbacks of bulk quotes are sent to the registered base address of bulk quotes', async () => {
    const own = openEdge()
    const endpoints = new Map([['FSPIOP_CALLBACK_URL_BULK_QUOTES', 'http://bulks.example/v1']])
    const wallet = own.participants.get('bluewallet')
    if (wallet === undefined) throw new Error('no bluewallet')
    own.participants.set('bluewallet', { ...wallet, endpoints })
    const outcome = await callbacksFor(own, 'BulkQuoteRequestAccepted', toPayee, { relay })
    expect(deliveries(outcome)).toEqual(['bluewallet: POST http://bulks.example/v1/bulkQuotes'])
  })

  test('The payer FSP of a bulk quote that no service stored receives an error when delivery fails', async () => {
    const own = openEdge()
    own.participants.delete('bluewallet')
    const stored = await callbacksFor(own, 'BulkQuoteRequestAccepted', toPayee, { relay })
    expect(stored.map(({ name }) => name)).toEqual(['BulkQuoteReceivedCallbackReport'])
    const unstored = await callbacksFor(
      own,
      'BulkQuoteRequestAccepted',
      { ...toPayee, isUnstored: true },
      { relay },
    )
    const outcome = unstored.filter(({ name }) => name === 'NotifyRequested')
    expect(deliveries(outcome)).toEqual([
      `greenbank: PUT http://greenbank.example/bulkQuotes/${id}/error`,
    ])
    expect(JSON.parse(outcome[0]?.body ?? '')).toMatchObject({
      errorInformation: { errorCode: '3201' },
    })
  })
})

const extensionList = { extension: [{ key: 'k', value: 'v' }] }

function bulkQuoteAnswerer() {
  return { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '1', fspId: 'bluewallet' } }
}
