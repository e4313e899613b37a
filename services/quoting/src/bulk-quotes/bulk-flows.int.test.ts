/** The life of bulk quotes from event to event. */
import { randomUUID } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { statement } from '@causeway/postgres'
import { describe, expect, test } from '@jest/globals'
import {
  bulkItem,
  bulkQueryEvent,
  bulkRejectEvent,
  bulkRequestEvent,
  bulkResponseEvent,
  bulkResult,
  bulkUnreachedReport,
  bulkWithoutDestination,
} from '../testing/bulk-messages.ts'
import { useFlows } from '../testing/flows.ts'
import { payee, payer, stranger } from '../testing/messages.ts'
import { participantWith, answersIn } from '../testing/world.ts'
import type { ConsumedBulkEvent } from './handle.ts'

const flows = useFlows()

const readBulk = statement(`
  select state, reason, items, items_refused,
    array(select quote_id || coalesce(' ' || (error::json->>'errorCode'), '') from bulk_quote_items
      where bulk_quote_id = q.id order by position) as quotes,
    array(select kind from bulk_messages where bulk_quote_id = q.id order by kind) as messages
  from bulk_quotes q where id = $1`)

async function stored(id: string) {
  const [row] = await flows.world.db.query(readBulk, [id])
  return row
}

const say = (...events: readonly ConsumedBulkEvent[]) => flows.world.handleBulks(...events)

/** A bulk with these items whose request was sent to the payee FSP. */
async function asked(...quoteIds: readonly string[]): Promise<string> {
  const id = randomUUID()
  await say(bulkRequestEvent(id, itemsOf(quoteIds)))
  return id
}

function itemsOf(quoteIds: readonly string[]) {
  return quoteIds.map((quoteId) => bulkItem(quoteId))
}

function resultsOf(quoteIds: readonly string[]) {
  return quoteIds.map((quoteId) => bulkResult(quoteId))
}

function bodyOf(message: OutgoingMessage | undefined): unknown {
  return JSON.parse(String(message?.headers['relay-body']))
}

const amountRule = { id: 'large', type: 'AMOUNT', currency: 'USD', max: '100' }
const feeRule = { id: 'fees', type: 'FEE', currency: 'USD', maxFee: '1' }
const tooMuch = { amount: { currency: 'USD', amount: '101' } }
const tooDear = { payeeFspFee: { currency: 'USD', amount: '1.01' } }

test('A bulk quote is requested and answered, and each message keeps its original bytes', async () => {
  const id = randomUUID()
  const request = bulkRequestEvent(id, itemsOf(['a', 'b']))
  const [accepted] = await say(request)
  expect(accepted).toMatchObject({
    type: 'BulkQuoteRequestAccepted',
    topic: 'quoting.bulk-quotes',
    key: id,
    payload: { bulkQuoteId: id, requesterFspId: payer, destinationFspId: payee },
    headers: { 'relay-body': request.relay?.body, 'relay-headers': request.relay?.headers },
  })
  expect(await stored(id)).toEqual({
    state: 'PENDING',
    reason: null,
    items: 2,
    items_refused: 0,
    quotes: ['a', 'b'],
    messages: ['REQUEST'],
  })
  const response = bulkResponseEvent(id, resultsOf(['b', 'a']))
  const published = await say(response)
  expect(published).toHaveLength(1)
  expect(published[0]).toMatchObject({
    type: 'BulkQuoteResponseAccepted',
    payload: { destinationFspId: payer, payerVersion: '1.0', version: '1.1' },
    headers: { 'relay-body': response.relay?.body, 'relay-headers': response.relay?.headers },
  })
  expect(await stored(id)).toMatchObject({ state: 'ACCEPTED', messages: ['REQUEST', 'RESPONSE'] })
})

test('The 1,000 items of a bulk quote retain their order', async () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`)
  const id = await asked(...ids)
  expect(await stored(id)).toMatchObject({ items: 1_000, quotes: ids })
})

describe('Refused items:', () => {
  test('A refused item is left out of the request to the payee FSP, and has its error in its place of the answer', async () => {
    await flows.world.setRules(amountRule)
    const id = randomUUID()
    const items = [bulkItem('a'), bulkItem('b', tooMuch), bulkItem('c')]
    const [accepted] = await say(bulkRequestEvent(id, items))
    expect(accepted?.headers['relay-headers']).toBeUndefined()
    expect(bodyOf(accepted)).toEqual({
      bulkQuoteId: id,
      individualQuotes: [
        { quoteId: 'a', note: 'of a' },
        { quoteId: 'c', note: 'of c' },
      ],
      more: 'kept',
    })
    expect(await stored(id)).toMatchObject({ items_refused: 1, quotes: ['a', 'b 4200', 'c'] })

    const [published] = await say(bulkResponseEvent(id, resultsOf(['c', 'a'])))
    expect(published?.headers['relay-headers']).toBeUndefined()
    expect(bodyOf(published)).toEqual({
      individualQuoteResults: [
        { quoteId: 'a', condition: 'c' },
        { quoteId: 'b', errorInformation: expect.objectContaining({ errorCode: '4200' }) },
        { quoteId: 'c', condition: 'c' },
      ],
      expiration: '2026-01-15T12:05:00.000Z',
      more: 'kept',
    })
    expect(await stored(id)).toMatchObject({ messages: ['ANSWER', 'REQUEST', 'RESPONSE'] })
  })

  test.each([
    ['names another payee FSP', bulkItem('b', { payeeFspId: stranger }), '3100'],
    ['has the id of one before it', bulkItem('a'), '3106'],
    [
      'has a currency without an account',
      bulkItem('b', { amount: { currency: 'CHF', amount: '1' } }),
      '4000',
    ],
  ])('An item is refused if it %s', async (_what, item, code) => {
    const id = randomUUID()
    const [accepted] = await say(bulkRequestEvent(id, [bulkItem('a'), item, bulkItem('c')]))
    expect(bodyOf(accepted)).toMatchObject({
      individualQuotes: [{ quoteId: 'a' }, { quoteId: 'c' }],
    })
    expect(await stored(id)).toMatchObject({ quotes: ['a', `${item.quoteId} ${code}`, 'c'] })
  })

  test('The encrypted fields of a refused item are removed with it, and those of the others follow their new positions', async () => {
    const field = (fieldName: string) => ({
      fieldName,
      encryptedKey: 'k',
      protectedHeader: 'p',
      initializationVector: 'i',
      authenticationTag: 't',
    })
    const headerOf = (...names: readonly string[]) =>
      JSON.stringify({ encryptedFields: { encryptedField: names.map(field) } })
    const id = randomUUID()
    const items = [bulkItem('a', { payeeFspId: stranger }), bulkItem('b', { payeeFspId: payee })]
    const encrypted = headerOf('individualQuotes.0.note', 'individualQuotes.1.note')
    const headers = { 'fspiop-encryption': encrypted }
    const [accepted] = await say(bulkRequestEvent(id, items, { headers }))
    expect(accepted?.payload).toMatchObject({ encryption: headerOf('individualQuotes.0.note') })
    const answered = { 'fspiop-encryption': headerOf('individualQuoteResults.0.ilpPacket') }
    const [published] = await say(bulkResponseEvent(id, resultsOf(['b']), { headers: answered }))
    const encryption = headerOf('individualQuoteResults.1.ilpPacket')
    expect(published?.payload).toMatchObject({ encryption })
    const [again] = await say(bulkQueryEvent(id, payer))
    expect(again?.payload).toMatchObject({ encryption })
  })

  test('If every item is refused, nothing is sent to the payee FSP, and the payer FSP gets the error of each', async () => {
    await flows.world.setRules(amountRule)
    const id = randomUUID()
    const request = bulkRequestEvent(id, [bulkItem('a', tooMuch), bulkItem('a')])
    const [published, ...more] = await say(request)
    expect(more).toEqual([])
    expect(published).toMatchObject({
      type: 'BulkQuoteItemsRefused',
      payload: { requesterFspId: payer },
    })
    const body = {
      individualQuoteResults: [
        { quoteId: 'a', errorInformation: expect.objectContaining({ errorCode: '4200' }) },
        { quoteId: 'a', errorInformation: expect.objectContaining({ errorCode: '3106' }) },
      ],
      expiration: '2026-01-15T12:01:00.000Z',
    }
    expect(bodyOf(published)).toEqual(body)
    expect(await stored(id)).toMatchObject({ state: 'REJECTED', reason: 'ITEMS', items_refused: 2 })
    const again = { ...request, id: randomUUID() }
    for (const message of [again, bulkQueryEvent(id, payer)]) {
      const [replayed] = await say(message)
      expect(replayed?.type).toBe('BulkQuoteQueryResponse')
      expect(bodyOf(replayed)).toEqual(body)
    }
  })
})

describe('Requests that are refused as a whole:', () => {
  test.each([
    ['has expired', { expiration: '2026-01-15T12:00:00.000Z' }, 'InvalidBulkQuoteRequest 3302'],
    [
      'names another payer FSP',
      { payerFspId: stranger },
      'InvalidFSPInBulkQuoteRequest PAYER 3100',
    ],
    [
      'is for an unknown FSP',
      { destinationFspId: 'nobank' },
      'InvalidFSPInBulkQuoteRequest PAYEE 3201',
    ],
  ])('A request that %s is refused as a whole', async (_what, changes, expected) => {
    const id = randomUUID()
    const request = bulkRequestEvent(id, itemsOf(['a', 'b']), changes)
    expect(answersIn(await say(request))).toEqual([expected])
    expect(await stored(id)).toMatchObject({ state: 'REJECTED' })
    const again = answersIn(await say({ ...request, id: randomUUID() }))
    expect(again).toEqual([`BulkQuoteQueryResponse PAYER ${expected.slice(-4)}`])
  })

  test('A request for an inactive payee FSP is refused as a whole', async () => {
    flows.world.participants.set(payee, { ...participantWith(payee, ['USD']), isActive: false })
    expect(answersIn(await say(bulkRequestEvent(randomUUID(), itemsOf(['a']))))).toEqual([
      'InvalidFSPInBulkQuoteRequest PAYEE 3201',
    ])
  })
})

describe('Requests without destination:', () => {
  const withParties = (...identifiers: readonly string[]) =>
    bulkWithoutDestination(
      bulkRequestEvent(
        randomUUID(),
        identifiers.map((partyIdentifier) => bulkItem(partyIdentifier, { partyIdentifier })),
      ),
    )

  test('A request without destination is sent to the FSP that its first item names', async () => {
    const items = [bulkItem('a'), bulkItem('b', { payeeFspId: stranger })]
    const event = bulkWithoutDestination(bulkRequestEvent(randomUUID(), items))
    const [accepted] = await say(event)
    expect(accepted?.payload).toMatchObject({ destinationFspId: stranger })
  })

  test('A request that names no FSP is sent to the FSP of its payees; items with a payee of another FSP or of none are refused', async () => {
    flows.world.owners.set('1', { type: 'KNOWN', fspIds: [payee] })
    flows.world.owners.set('2', { type: 'KNOWN', fspIds: [stranger] })
    flows.world.owners.set('3', { type: 'KNOWN', fspIds: [stranger, payee] })
    const event = withParties('1', '2', 'unknown', '3')
    const [accepted] = await say(event)
    expect(accepted?.payload).toMatchObject({ destinationFspId: payee })
    expect(bodyOf(accepted)).toMatchObject({
      individualQuotes: [{ quoteId: '1' }, { quoteId: '3' }],
    })
    expect(await stored(event.payload.bulkQuoteId)).toMatchObject({
      quotes: ['1', '2 3100', 'unknown 3204', '3'],
    })
  })

  test.each([
    ['unknown', 'unknown', '3204'],
    ['not found in time', 'away', '2003'],
  ])(
    'A request without destination is refused as a whole when all its payees are %s',
    async (_what, identifier, code) => {
      flows.world.owners.set('away', { type: 'LOOKUP_AWAY' })
      flows.world.owners.set('away too', { type: 'LOOKUP_AWAY' })
      expect(answersIn(await say(withParties(identifier, `${identifier} too`)))).toEqual([
        `InvalidBulkQuoteRequest ${code}`,
      ])
    },
  )
})

describe('Answers:', () => {
  test('An answer that refuses items or leaves some out is relayed unchanged', async () => {
    const id = await asked('a', 'b', 'c')
    const errorInformation = { errorCode: '5103', errorDescription: 'no' }
    const response = bulkResponseEvent(id, [
      { quoteId: 'a', errorInformation },
      bulkResult('c'),
      bulkResult('unasked'),
    ])
    const [published] = await say(response)
    expect(published?.headers['relay-body']).toBe(response.relay?.body)
  })

  test('Items of an answer that the scheme forbids are replaced by errors, which the payee FSP gets as well', async () => {
    await flows.world.setRules(feeRule)
    const id = await asked('a', 'b')
    const published = await say(bulkResponseEvent(id, [bulkResult('a', tooDear), bulkResult('b')]))
    expect(published.map(({ type }) => type)).toEqual([
      'BulkQuoteResponseAccepted',
      'RuleViolatedInBulkQuoteResponse',
    ])
    const refused = {
      quoteId: 'a',
      errorInformation: expect.objectContaining({ errorCode: '3100' }),
    }
    const expiration = '2026-01-15T12:05:00.000Z'
    expect(bodyOf(published[0])).toEqual({
      individualQuoteResults: [refused, { quoteId: 'b', condition: 'c' }],
      expiration,
      more: 'kept',
    })
    expect(published[1]?.payload).toMatchObject({ payeeFspId: payee })
    expect(bodyOf(published[1])).toEqual({ individualQuoteResults: [refused], expiration })
    expect(await stored(id)).toMatchObject({ state: 'ACCEPTED', quotes: ['a 3100', 'b'] })
  })

  test('A result in another currency than its item is forbidden without any rule', async () => {
    const id = await asked('a')
    const transferAmount = { currency: 'EUR', amount: '1' }
    const published = await say(bulkResponseEvent(id, [bulkResult('a', { transferAmount })]))
    expect(bodyOf(published[0])).toMatchObject({
      individualQuoteResults: [{ errorInformation: { errorCode: '3100' } }],
    })
  })

  test.each([
    ['of another FSP', { requesterFspId: stranger }, 'REQUESTER 3100'],
    ['for another FSP', { destinationFspId: stranger }, 'PAYEE 3100'],
    ['after the expiration', { time: '2026-01-15T12:01:00.000Z' }, 'PAYEE 3302'],
  ])('An answer %s changes nothing', async (_what, changes, published) => {
    const id = await asked('a')
    flows.world.after(60_000)
    const response = bulkResponseEvent(id, resultsOf(['a']), changes)
    expect(answersIn(await say(response))).toEqual([`BulkQuoteQueryResponse ${published}`])
    expect(await stored(id)).toMatchObject({ state: 'PENDING' })
  })

  test('A repeated answer has no effect, and a different one is refused', async () => {
    const id = await asked('a')
    const response = bulkResponseEvent(id, resultsOf(['a']))
    await say(response)
    expect(await say(response)).toEqual([])
    expect(await say({ ...response, id: randomUUID() })).toEqual([])
    expect(answersIn(await say(bulkResponseEvent(id, [])))).toEqual([
      'BulkQuoteQueryResponse PAYEE 3106',
    ])
  })

  test('An answer to an unknown bulk quote is refused', async () => {
    const published = answersIn(await say(bulkResponseEvent(randomUUID(), [])))
    expect(published).toEqual(['BulkQuoteQueryResponse REQUESTER 3209'])
  })
})

describe('Repeated requests:', () => {
  test('A repeated request has no answer while the bulk quote is pending, and gets its result again when it has ended', async () => {
    const id = randomUUID()
    const request = bulkRequestEvent(id, itemsOf(['a']))
    await say(request)
    expect(await say(request)).toEqual([])
    expect(await say({ ...request, id: randomUUID() })).toEqual([])
    const response = bulkResponseEvent(id, resultsOf(['a']))
    await say(response)
    const [again] = await say({ ...request, id: randomUUID() })
    expect(again).toMatchObject({
      type: 'BulkQuoteQueryResponse',
      headers: { 'relay-body': response.relay?.body, 'relay-headers': response.relay?.headers },
    })
  })

  test('A second request for an id with other content or from another FSP is refused and changes nothing', async () => {
    const id = await asked('a')
    const before = await stored(id)
    const published = ['InvalidBulkQuoteRequest 3106']
    expect(answersIn(await say(bulkRequestEvent(id, itemsOf(['b']))))).toEqual(published)
    const others = bulkRequestEvent(id, itemsOf(['a']), { requesterFspId: stranger })
    expect(answersIn(await say(others))).toEqual(published)
    expect(await stored(id)).toEqual(before)
  })
})

describe('Queries:', () => {
  test('A query is forwarded to the payee FSP while there is no answer', async () => {
    const id = await asked('a')
    const [forwarded] = await say(bulkQueryEvent(id, payer))
    expect(forwarded).toMatchObject({
      type: 'BulkQuoteQueryForwarded',
      payload: { destinationFspId: payee },
    })
    expect(answersIn(await say(bulkQueryEvent(id, payee)))).toEqual([
      'BulkQuoteQueryResponse PAYEE 3100',
    ])
  })

  test('A query of the payer FSP gets the answer that it was sent, and one of the payee FSP gets its own', async () => {
    await flows.world.setRules(feeRule)
    const id = await asked('a', 'b')
    const response = bulkResponseEvent(id, [bulkResult('a', tooDear), bulkResult('b')])
    const [published] = await say(response)
    const [toPayer] = await say(bulkQueryEvent(id, payer))
    expect(bodyOf(toPayer)).toEqual(bodyOf(published))
    const [toPayee] = await say(bulkQueryEvent(id, payee))
    expect(bodyOf(toPayee)).toEqual(JSON.parse(String(response.relay?.body)))
    expect(String(toPayee?.headers['relay-body'])).toMatch(
      /^{"expiration":.*,"individualQuoteResults":/,
    )
    expect(toPayee?.headers['relay-headers']).toBeUndefined()
  })

  test('A query of another FSP, or for an unknown bulk quote, gets an error and no information', async () => {
    const id = await asked('a')
    expect(answersIn(await say(bulkQueryEvent(id, stranger)))).toEqual([
      'BulkQuoteQueryResponse REQUESTER 3000',
    ])
    expect(answersIn(await say(bulkQueryEvent(randomUUID(), payer)))).toEqual([
      'BulkQuoteQueryResponse REQUESTER 3209',
    ])
  })
})

describe('Ends of bulk quotes:', () => {
  test('A bulk quote ends when the payee FSP refuses it, and the payer FSP gets the error of the payee FSP', async () => {
    const id = await asked('a')
    const reject = bulkRejectEvent(id)
    const [published] = await say(reject)
    expect(published).toMatchObject({
      type: 'BulkQuoteRejectAccepted',
      payload: { payerFspId: payer, payeeFspId: payee, payerVersion: '1.0' },
      headers: { 'relay-body': reject.relay?.body },
    })
    expect(await stored(id)).toMatchObject({ state: 'REJECTED', reason: 'REFUSED' })
    expect(answersIn(await say(bulkQueryEvent(id, payer)))).toEqual([
      'BulkQuoteQueryResponse PAYER 5103',
    ])
  })

  test('A bulk quote ends when its request cannot be delivered, even if it has expired meanwhile', async () => {
    const id = await asked('a')
    expect(answersIn(await say(bulkUnreachedReport(id)))).toEqual([
      'InvalidFSPInBulkQuoteRequest PAYEE 1001',
    ])
    expect(await stored(id)).toMatchObject({ state: 'REJECTED', reason: 'UNDELIVERED' })
    const late = await asked('a')
    flows.world.after(60_000)
    await flows.world.sweepBulks()
    expect(await stored(late)).toMatchObject({ state: 'EXPIRED' })
    expect(answersIn(await say(bulkUnreachedReport(late, '2026-01-15T12:01:00.000Z')))).toEqual([
      'InvalidFSPInBulkQuoteRequest PAYEE 3302',
    ])
  })

  test('A bulk quote ends at its expiration, unless an earlier answer is not processed yet', async () => {
    const id = await asked('a')
    flows.world.after(59_999)
    await flows.world.sweepBulks()
    expect(await stored(id)).toMatchObject({ state: 'PENDING' })
    flows.world.heldBackAt('2026-01-15T12:00:59.999Z')
    flows.world.after(1)
    await flows.world.sweepBulks()
    expect(await stored(id)).toMatchObject({ state: 'PENDING' })
    flows.world.heldBackAt(undefined)
    await flows.world.sweepBulks()
    expect(await stored(id)).toMatchObject({ state: 'EXPIRED' })
    expect(answersIn(await say(bulkResponseEvent(id, resultsOf(['a']))))).toEqual([
      'BulkQuoteQueryResponse PAYEE 3302',
    ])
  })
})

test('In pass-through mode a bulk quote is relayed whole and not stored', async () => {
  const id = randomUUID()
  const request = bulkRequestEvent(id, [bulkItem('a'), bulkItem('b', { payeeFspId: stranger })])
  const response = bulkResponseEvent(id, resultsOf(['a']))
  const published = await flows.world.passBulksOn(
    request,
    response,
    bulkRejectEvent(id),
    bulkQueryEvent(id, payer),
  )
  expect(answersIn(published)).toEqual([
    'BulkQuoteRequestAccepted relayed',
    'BulkQuoteResponseAccepted relayed',
    'BulkQuoteRejectAccepted 5103 relayed',
    'BulkQuoteQueryResponse REQUESTER 3201',
  ])
  expect(published[0]?.payload).toMatchObject({ isUnstored: true, destinationFspId: payee })
  expect(published[0]?.headers['relay-body']).toBe(request.relay?.body)
  expect(await stored(id)).toBeUndefined()
})
