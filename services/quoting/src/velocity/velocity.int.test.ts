/** Payments are counted once, per minute, and deleted when no window includes them. */
import { randomUUID } from 'node:crypto'
import { statement } from '@causeway/postgres'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { windowKey } from '../rules/domain/judge-request.ts'
import { committedEvent, largest, payer, requestEvent, stranger } from '../testing/messages.ts'
import { openWorld, answersIn, type QuotingWorld } from '../testing/world.ts'
import type { CommittedEvent } from './count.ts'

let parts: TestParts
let world: QuotingWorld

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
})

afterAll(async () => {
  await world.db.close()
  await parts.stop()
})

const rows = (table: 'velocity' | 'counted_transfers') =>
  world.db
    .query<{ n: number }>(statement(`select count(*)::integer as n from ${table}`), [])
    .then(([row]) => row?.n)

async function usage(payerFsp: string, minutes: number) {
  const window = { payerFsp, currency: 'USD', minutes }
  const usages = await world.work.velocity.usages([window], new Date(world.iso()))
  return usages.get(windowKey(window))
}

async function quoted(): Promise<readonly string[]> {
  const expiration = new Date(Date.parse(world.iso()) + 60_000).toISOString()
  return answersIn(await world.handle(requestEvent(randomUUID(), { expiration })))
}

test('Without a velocity rule nothing is stored', async () => {
  await world.handle(committedEvent(randomUUID(), '1'))
  expect(await rows('counted_transfers')).toBe(0)
  expect(await rows('velocity')).toBe(0)
})

test('A window slides: payments before it no longer count', async () => {
  await world.setRules({
    id: 'hour',
    type: 'VELOCITY',
    currency: 'USD',
    windowMinutes: 60,
    maxCount: 2,
  })
  const pay = () => world.handle(committedEvent(randomUUID(), '1', { fulfiledAt: world.iso() }))
  await pay()
  world.after(30 * 60_000)
  await pay()
  expect(await quoted()).toEqual(['RuleViolatedInQuoteRequest 4200 hour'])
  world.after(30 * 60_000)
  expect(await quoted()).toEqual(['RuleViolatedInQuoteRequest 4200 hour'])
  world.after(60_000)
  expect(await quoted()).toEqual(['QuoteRequestAccepted relayed'])
})

test('Sums are exact for amounts beyond the integers of the database', async () => {
  const payerFsp = randomUUID()
  const of = { payerFsp, fulfiledAt: world.iso() }
  await world.handle(
    committedEvent(randomUUID(), largest, of),
    committedEvent(randomUUID(), largest, of),
    committedEvent(randomUUID(), largest, { ...of, currency: 'EUR' }),
  )
  expect(await usage(payerFsp, 60)).toEqual({ count: 2n, amount: 2n * (10n ** 22n - 1n) })
})

test('Each transfer counts once, however often and in whatever batches it is reported', async () => {
  const story = fc.array(
    fc.record({
      amount: fc.integer({ min: 1, max: 1_000 }),
      payerFsp: fc.constantFrom('a', 'b'),
      minutesAgo: fc.integer({ min: 0, max: 70 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  const schedule = fc.array(fc.array(fc.nat(), { maxLength: 12 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(story, schedule, async (payments, batches) => {
      const suffix = randomUUID()
      const events = payments.map(({ amount, payerFsp, minutesAgo }): CommittedEvent => {
        const fulfiledAt = new Date(Date.parse(world.iso()) - minutesAgo * 60_000).toISOString()
        return committedEvent(randomUUID(), String(amount), {
          payerFsp: payerFsp + suffix,
          fulfiledAt,
        })
      })
      const all = batches.map((picks) =>
        picks.flatMap((pick) => events[pick % events.length] ?? []),
      )
      await Promise.all(all.map((batch) => world.handle(...batch)))
      await world.handle(...events)
      for (const name of ['a', 'b']) {
        const paid = payments.filter(
          ({ payerFsp, minutesAgo }) => payerFsp === name && minutesAgo <= 60,
        )
        expect(await usage(name + suffix, 60)).toEqual({
          count: BigInt(paid.length),
          amount: BigInt(paid.reduce((sum, { amount }) => sum + amount, 0)) * 10_000n,
        })
      }
    }),
    { numRuns: 25 },
  )
})

test('Payments of one payer FSP do not count for another', async () => {
  expect(await usage(stranger, 1_440)).toEqual({ count: 0n, amount: 0n })
  expect((await usage(payer, 1_440))?.count).toBeGreaterThan(0n)
})

test('Payments in no window are neither counted nor stored', async () => {
  const partitions = () =>
    world.db.query<{ name: string }>(
      statement(`select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'counted_transfers'::regclass order by 1`),
      [],
    )
  const fulfiledAt = world.iso()
  world.after(2 * 86_400_000)
  await world.handle(committedEvent(randomUUID(), '1', { fulfiledAt }))
  const { velocity } = world.work
  await velocity.deleteOld(new Date(world.iso()))
  expect(await rows('velocity')).toBe(0)
  expect((await partitions()).length).toBe(3)
  world.after(40 * 86_400_000)
  await velocity.ensurePartitions(new Date(world.iso()))
  await velocity.deleteOld(new Date(world.iso()))
  expect(await rows('counted_transfers')).toBe(0)
  expect((await partitions()).map(({ name }) => name)).toEqual([
    'counted_transfers_2026_02',
    'counted_transfers_2026_03',
    'counted_transfers_2026_04',
  ])
})
