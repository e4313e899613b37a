/** What quoting says of bulk quotes over gRPC, and what becomes of one when two things end it at once. */
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { recordHandlers } from '../quotes/records.ts'
import {
  bulkItem,
  bulkRejectEvent,
  bulkRequestEvent,
  bulkResponseEvent,
  bulkResult,
} from '../testing/bulk-messages.ts'
import { useFlows } from '../testing/flows.ts'
import { payee, payer, stranger } from '../testing/messages.ts'
import { answerBulk } from './answer.ts'

const flows = useFlows()
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

test('bulk quotes are told as they stand, and what is not known is left out', async () => {
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
      reason: '',
      error: '',
      createdAt: '2026-01-15T12:00:00.000Z',
      expiresAt: '2026-01-15T12:01:00.000Z',
      validUntil: '',
      completedAt: '',
    },
  ])
})

test('where bulk quotes are only passed on, it is told that none is stored', async () => {
  const answer = await handlers(false).GetBulkQuotes({ bulkQuoteIds: [randomUUID()] }, context)
  expect(answer).toEqual({ bulkQuotes: [], noneIsStored: true })
})

test('an item is told like a quote of its own, with the bulk that it is of', async () => {
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
  expect(await recordOf(missing)).toMatchObject({ state: 'ACCEPTED', transferAmount: '' })
  expect(await recordOf(randomUUID())).toBeNull()
})

test('an answer and a refusal at once end the bulk once, and what is told is what is stored', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => asked(['a'])))
  for (const id of ids) {
    const from = flows.world.said.length
    await Promise.all([
      answerBulk(flows.world.work, bulkResponseEvent(id, [bulkResult('a')])),
      answerBulk(flows.world.work, bulkRejectEvent(id)),
    ])
    const told = flows.world.said.slice(from).map(({ type }) => type)
    const { bulkQuotes } = await handlers().GetBulkQuotes({ bulkQuoteIds: [id] }, context)
    const accepted = bulkQuotes[0]?.state === 'ACCEPTED'
    expect(told.toSorted()).toEqual(
      [
        accepted ? 'BulkQuoteResponseAccepted' : 'BulkQuoteRejectAccepted',
        'BulkQuoteQueryResponse',
      ].toSorted(),
    )
  }
})
