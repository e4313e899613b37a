/** Bulk quotes over gRPC, and bulk quotes that two messages end at the same time. */
import { randomUUID } from 'node:crypto'
import { statement } from '@causeway/postgres'
import type { BulkQuoteSearch } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { recordHandlers } from '../records.ts'
import {
  bulkItem,
  bulkRejectEvent,
  bulkRequestEvent,
  bulkResponseEvent,
  bulkResult,
  bulkUnreachedReport,
} from '../testing/bulk-messages.ts'
import { useFlows } from '../testing/flows.ts'
import { payee, payer, stranger } from '../testing/messages.ts'
import { answerBulk } from './answer.ts'

const flows = useFlows()
/** As if its month were archived. */
const ageStatement = statement(`update bulk_quotes set month = '2020-03-01' where id = $1`)

const amountRule = { id: 'large', type: 'AMOUNT', currency: 'USD', max: '100' }

function handlers(isStored = true) {
  return recordHandlers(flows.world.db, { isStored })
}

const context = {} as never

async function asked(...items: Parameters<typeof bulkItem>[]) {
  const id = randomUUID()
  const event = bulkRequestEvent(
    id,
    items.map((item) => bulkItem(...item)),
  )
  await flows.world.handleBulks(event)
  return id
}

test('Bulk quotes are returned with their states, and unknown ids are left out', async () => {
  await flows.world.setRules(amountRule)
  const tooMuch = { amount: { currency: 'USD', amount: '101' } }
  const id = await asked(['a'], ['b', tooMuch])
  const { bulkQuotes, noneIsStored } = await handlers().GetBulkQuotes(
    { bulkQuoteIds: [id, randomUUID()] },
    context,
  )
  expect(noneIsStored).toBe(false)
  expect(bulkQuotes).toEqual([
    {
      id,
      payerFsp: payer,
      payeeFsp: payee,
      items: 2,
      itemsRefused: 1,
      state: 'PENDING',
      createdAt: '2026-01-15T12:00:00.000Z',
      expiresAt: '2026-01-15T12:01:00.000Z',
    },
  ])
})

test('In pass-through mode the response reports that no bulk quote is stored', async () => {
  const answer = await handlers(false).GetBulkQuotes({ bulkQuoteIds: [randomUUID()] }, context)
  expect(answer).toEqual({ bulkQuotes: [], noneIsStored: true })
})

test('An item is returned like a quote of its own, with the id of its bulk quote', async () => {
  const [answered, refused, forbidden, missing] = Array.from({ length: 4 }, () => randomUUID())
  if (!answered || !refused || !forbidden || !missing) throw new Error('no ids')
  const id = await asked([answered], [refused], [forbidden, { payeeFspId: stranger }], [missing])
  const errorInformation = { errorCode: '5103', errorDescription: 'no' }
  const response = bulkResponseEvent(id, [bulkResult(answered), bulkResult(refused)])
  const body = {
    individualQuoteResults: [
      { quoteId: answered, transferAmount: { currency: 'USD', amount: '98.5' } },
      { quoteId: refused, errorInformation },
    ],
  }
  const relay = { body: Buffer.from(JSON.stringify(body)), headers: Buffer.from('{}') }
  await flows.world.handleBulks({ ...response, relay })
  const recordOf = async (quoteId: string) => {
    const { record } = await handlers().GetQuoteRecord({ id: quoteId }, context)
    return record
  }
  expect(await recordOf(answered)).toMatchObject({
    id: answered,
    bulkQuoteId: id,
    payerFsp: payer,
    payeeFsp: payee,
    amount: '99',
    state: 'ACCEPTED',
    transferAmount: '98.5',
    validUntil: '2026-01-15T12:05:00.000Z',
  })
  expect(await recordOf(refused)).toMatchObject({
    state: 'REJECTED',
    reason: 'REFUSED',
    error: JSON.stringify(errorInformation),
  })
  expect(await recordOf(forbidden)).toMatchObject({
    state: 'REJECTED',
    reason: 'ITEMS',
    error: expect.stringContaining('3100'),
  })
  expect(await recordOf(missing)).toMatchObject({ state: 'REJECTED', reason: 'UNANSWERED' })
  expect(await recordOf(randomUUID())).toBeNull()
})

describe('Reads of the operator:', () => {
  const recordOf = async (id: string) => {
    const { record } = await handlers().GetBulkQuoteRecord({ id }, context)
    return record
  }

  test('The operator sees the result of each item of a bulk quote in the order of the request', async () => {
    const id = await asked(['a'], ['b'], ['c', { payeeFspId: stranger }], ['d'])
    expect((await recordOf(id))?.items.map(({ state }) => state)).toEqual([
      'PENDING',
      'PENDING',
      'REJECTED',
      'PENDING',
    ])
    const errorInformation = { errorCode: '5103', errorDescription: 'no' }
    const individualQuoteResults = [
      { quoteId: 'b', errorInformation },
      { quoteId: 'a', transferAmount: { currency: 'USD', amount: '98.5' } },
    ]
    const relay = { body: Buffer.from(JSON.stringify({ individualQuoteResults })) }
    await flows.world.handleBulks({ ...bulkResponseEvent(id, [bulkResult('a')]), relay })
    const record = await recordOf(id)
    expect(record?.summary).toMatchObject({ id, state: 'ACCEPTED', items: 4, itemsRefused: 1 })
    expect(record?.archivedMonth).toBeUndefined()
    expect(record?.items).toMatchObject([
      { quoteId: 'a', state: 'ACCEPTED', reason: undefined, amount: '99', transferAmount: '98.5' },
      {
        quoteId: 'b',
        state: 'REJECTED',
        reason: 'REFUSED',
        error: JSON.stringify(errorInformation),
      },
      { quoteId: 'c', state: 'REJECTED', reason: 'ITEMS', error: expect.stringContaining('3100') },
      { quoteId: 'd', state: 'REJECTED', reason: 'UNANSWERED', error: undefined },
    ])
  })

  test('The operator sees the delivery of the callbacks of a bulk quote', async () => {
    const id = await asked(['a'])
    await flows.world.handleBulks(bulkUnreachedReport(id))
    const record = await recordOf(id)
    expect(record?.summary).toMatchObject({ state: 'REJECTED', reason: 'UNDELIVERED' })
    expect(record?.items).toMatchObject([{ state: 'REJECTED', reason: 'UNDELIVERED' }])
    expect(record?.deliveries).toMatchObject([
      { fspId: payee, legRole: 'PAYEE', status: 'FAILED', attempts: 3, lastError: 'refused' },
    ])
  })

  test('The operator sees that the items of a bulk quote are archived', async () => {
    const id = await asked(['a'])
    await flows.world.db.query(ageStatement, [id])
    expect(await recordOf(id)).toMatchObject({ items: [], archivedMonth: '2020-03' })
  })

  test('An id that was never used is not found', async () => {
    expect(await recordOf(randomUUID())).toBeNull()
  })

  const idsOf = async (search: Partial<BulkQuoteSearch>) => {
    const query = { states: [], limit: 0, ...search }
    const { bulkQuotes, next } = await handlers().SearchBulkQuotes(query, context)
    return { ids: bulkQuotes.map(({ id }) => id), next }
  }

  test('Bulk quotes are found by id, FSP, state and time, newest first', async () => {
    const from = '2026-01-15T12:00:10.000Z'
    flows.world.after(10_000)
    const pending = await asked(['a'])
    flows.world.after(1_000)
    const accepted = await asked(['a'])
    await flows.world.handleBulks(bulkResponseEvent(accepted, [bulkResult('a')]))
    const found = [accepted, pending]
    expect(await idsOf({ from })).toEqual({ ids: found, next: undefined })
    expect(await idsOf({ from, fspId: payer })).toEqual({ ids: found, next: undefined })
    expect(await idsOf({ from, fspId: payee })).toEqual({ ids: found, next: undefined })
    expect(await idsOf({ from, fspId: stranger })).toEqual({ ids: [], next: undefined })
    expect(await idsOf({ from, states: ['PENDING'] })).toEqual({ ids: [pending], next: undefined })
    expect(await idsOf({ id: pending })).toEqual({ ids: [pending], next: undefined })
    const to = '2026-01-15T12:00:11.000Z'
    expect(await idsOf({ from, to })).toEqual({ ids: [pending], next: undefined })
  })

  test('Reading page after page returns each bulk quote once', async () => {
    const from = '2026-01-15T12:00:20.000Z'
    flows.world.after(20_000)
    const asking = [await asked(['a']), await asked(['a']), await asked(['a'])]
    const first = await idsOf({ from, limit: 2 })
    expect(first.ids).toHaveLength(2)
    const second = await idsOf({ from, limit: 2, after: first.next })
    expect(second.next).toBeUndefined()
    expect([...first.ids, ...second.ids].toSorted()).toEqual(asking.toSorted())
  })
})

test('An answer and a refusal at the same time end the bulk quote once, and the published result is the stored one', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => asked(['a'])))
  for (const id of ids) {
    const from = flows.world.published.length
    await Promise.all([
      answerBulk(flows.world.work, bulkResponseEvent(id, [bulkResult('a')])),
      answerBulk(flows.world.work, bulkRejectEvent(id)),
    ])
    const published = flows.world.published.slice(from).map(({ type }) => type)
    const { bulkQuotes } = await handlers().GetBulkQuotes({ bulkQuoteIds: [id] }, context)
    const accepted = bulkQuotes[0]?.state === 'ACCEPTED'
    expect(published.toSorted()).toEqual(
      [
        accepted ? 'BulkQuoteResponseAccepted' : 'BulkQuoteRejectAccepted',
        'BulkQuoteQueryResponse',
      ].toSorted(),
    )
  }
})
