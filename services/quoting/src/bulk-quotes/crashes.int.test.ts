/**
 * The steps of bulk quotes on PostgreSQL, interrupted before and after each call that stores or publishes
 * something, and continued by the redelivery: the payer FSP gets exactly one result.
 */
import { randomUUID } from 'node:crypto'
import { Crash, crashAt, type Gate } from '@causeway/process/testing/gated'
import { describe, expect, test } from '@jest/globals'
import {
  bulkItem,
  bulkQueryEvent,
  bulkRejectEvent,
  bulkRequestEvent,
  bulkResponseEvent,
  bulkResult,
  bulkUnreachedReport,
} from '../testing/bulk-messages.ts'
import { useFlows } from '../testing/flows.ts'
import { payer } from '../testing/messages.ts'
import { answersIn } from '../testing/world.ts'
import { handleBulks, type ConsumedBulkEvent } from './handle.ts'

const flows = useFlows()
const rules = [
  { id: 'large', type: 'AMOUNT', currency: 'USD', max: '100' },
  { id: 'fees', type: 'FEE', currency: 'USD', maxFee: '1' },
]
const tooMuch = { amount: { currency: 'USD', amount: '101' } }
const tooDear = { payeeFspFee: { currency: 'USD', amount: '1.01' } }

function requestOf(id: string) {
  return bulkRequestEvent(id, [bulkItem('a'), bulkItem('b', tooMuch), bulkItem('c')])
}

async function asked(): Promise<string> {
  await flows.world.setRules(...rules)
  const id = randomUUID()
  await flows.world.handleBulks(requestOf(id))
  return id
}

function answerTo(id: string) {
  return bulkResponseEvent(id, [bulkResult('a'), bulkResult('c', tooDear)])
}

/** The messages about this bulk quote, each once however often it was published. */
function publishedOf(id: string): readonly string[] {
  const published = flows.world.published.filter(({ key }) => key === id)
  return answersIn([...new Map(published.map((message) => [message.id, message])).values()])
}

async function handleThrough(gate: Gate, event: ConsumedBulkEvent): Promise<void> {
  await handleBulks(flows.world.workThrough(gate), [event])
}

/** Crashes at this call; then the event is delivered again. */
async function cutOff(place: string, event: ConsumedBulkEvent): Promise<void> {
  await expect(handleThrough(crashAt(place), event)).rejects.toThrow(Crash)
  await flows.world.handleBulks(event)
}

const asking = 'BulkQuoteRequestAccepted relayed by the hub'
const unreached = 'InvalidFSPInBulkQuoteRequest PAYEE 1001'

describe('Crashes:', () => {
  test.each(['before claim', 'after claim'])(
    'After a crash %s the redelivery sends the request to the payee FSP once',
    async (place) => {
      await flows.world.setRules(...rules)
      const id = randomUUID()
      await cutOff(place, requestOf(id))
      expect(publishedOf(id)).toEqual([asking])
    },
  )

  test.each(['before claim', 'after claim'])(
    'After a crash %s the redelivery sends the errors of refused items to the payer FSP once',
    async (place) => {
      await flows.world.setRules(...rules)
      const id = randomUUID()
      await cutOff(place, bulkRequestEvent(id, [bulkItem('a', tooMuch), bulkItem('b', tooMuch)]))
      expect(publishedOf(id)).toEqual(['BulkQuoteItemsRefused relayed by the hub'])
    },
  )

  test.each([
    'before read',
    'after read',
    'before items',
    'after items',
    'before end',
    'after end',
  ])('After a crash %s the redelivery sends the answer to the payer FSP once', async (place) => {
    const id = await asked()
    await cutOff(place, answerTo(id))
    expect(publishedOf(id)).toEqual([
      asking,
      'BulkQuoteResponseAccepted relayed by the hub',
      'RuleViolatedInBulkQuoteResponse relayed by the hub',
    ])
  })

  test.each(['before read', 'after read', 'before end', 'after end'])(
    'After a crash %s the redelivery sends the refusal to the payer FSP once',
    async (place) => {
      const id = await asked()
      await cutOff(place, bulkRejectEvent(id))
      expect(publishedOf(id)).toEqual([asking, 'BulkQuoteRejectAccepted 5103 relayed'])
    },
  )

  test.each(['before keep', 'after keep', 'before read', 'after read', 'before end', 'after end'])(
    'After a crash %s an undeliverable request is reported to the payer FSP once',
    async (place) => {
      const id = await asked()
      await cutOff(place, bulkUnreachedReport(id))
      expect(publishedOf(id)).toEqual([asking, unreached])
    },
  )

  test.each(['before keep', 'after keep', 'before publish', 'after publish'])(
    'After a crash %s an undeliverable request of an expired bulk quote is reported to the payer FSP once',
    async (place) => {
      const id = await asked()
      flows.world.after(60_000)
      await flows.world.sweepBulks()
      await cutOff(place, bulkUnreachedReport(id))
      expect(publishedOf(id)).toEqual([asking, unreached])
    },
  )

  test.each(['before read', 'after read', 'before publish', 'after publish'])(
    'After a crash %s the redelivery answers a query with the same answer as before',
    async (place) => {
      const id = await asked()
      await flows.world.handleBulks(answerTo(id))
      const before = publishedOf(id)
      await cutOff(place, bulkQueryEvent(id, payer))
      expect(publishedOf(id)).toEqual([
        ...before,
        'BulkQuoteQueryResponse PAYER relayed by the hub',
      ])
      const bodies = flows.world.published
        .filter(({ key, type }) => key === id && /ResponseAccepted|QueryResponse/.test(type))
        .map(({ headers }) => String(headers['relay-body']))
      expect(new Set(bodies).size).toBe(1)
    },
  )
})

describe('Bulk quotes that expire during a step:', () => {
  const expireAt = (place: string): Gate => {
    return async (at) => {
      if (at === place) await flows.world.work.bulks.expire(new Date('2026-01-15T12:01:00Z'), 100)
    }
  }

  test('A bulk quote that expires during an answer ends without it, and only the payee FSP gets an error', async () => {
    const id = await asked()
    await handleThrough(expireAt('before end'), answerTo(id))
    expect(publishedOf(id)).toEqual([asking, 'BulkQuoteQueryResponse PAYEE 3302'])
  })

  test('A bulk quote that expires while its request is undeliverable is still reported to the payer FSP', async () => {
    const id = await asked()
    await handleThrough(expireAt('before end'), bulkUnreachedReport(id))
    expect(publishedOf(id)).toEqual([asking, unreached])
  })
})
