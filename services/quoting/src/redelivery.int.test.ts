/**
 * Events come at least once, in any split of batches. However they come, the quotes end the same, and
 * what is announced of each is announced once.
 */
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import type { ConsumedEvent } from './handle.ts'
import {
  payee,
  payer,
  queryEvent,
  rejectEvent,
  reportEvent,
  requestEvent,
  responseEvent,
  stranger,
  unreachedReport,
} from './testing/messages.ts'
import { openWorld, type QuotingWorld } from './testing/world.ts'

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

/** The messages that an FSP may send at any time. */
const messages = {
  asks: (id: string) => requestEvent(id),
  'asks otherwise': (id: string) => requestEvent(id, { note: 'other' }),
  'asks too late': (id: string) => requestEvent(id, { expiration: '2026-01-01T00:00:00.000Z' }),
  'another asks': (id: string) => requestEvent(id, { requesterFspId: stranger }),
  answers: (id: string) => responseEvent(id),
  'answers otherwise': (id: string) =>
    responseEvent(id, { expiration: '2026-01-15T13:00:00.000Z' }),
  'answers in euros': (id: string) =>
    responseEvent(id, { transferAmount: { currency: 'EUR', amount: '1' } }),
  'another answers': (id: string) => responseEvent(id, { requesterFspId: stranger }),
  refuses: (id: string) => rejectEvent(id),
  'payer looks': (id: string) => queryEvent(id, payer),
  'payee looks': (id: string) => queryEvent(id, payee),
  'is reached': (id: string) => reportEvent(id),
  'is not reached': (id: string) => unreachedReport(id),
} as const satisfies Record<string, (id: string) => ConsumedEvent>

type Kind = keyof typeof messages

interface Step {
  readonly quote: number
  readonly kind: Kind
}

const kinds = Object.keys(messages) as Kind[]
const quote = fc.integer({ min: 0, max: 2 })

/** Answers and reports require an earlier request. */
const steps = fc
  .tuple(
    fc.tuple(...[0, 1, 2].map(() => fc.constantFrom(...kinds.filter((kind) => /ask/.test(kind))))),
    fc.array(fc.record<Step>({ quote, kind: fc.constantFrom(...kinds) }), { maxLength: 12 }),
  )
  .map(([asks, others]) => [...asks.map((kind, at) => ({ quote: at, kind })), ...others])

/** The sizes of batches, and those after which the last events are redelivered. */
const split = fc.array(
  fc.record({ length: fc.integer({ min: 1, max: 5 }), again: fc.integer({ min: 0, max: 8 }) }),
  { minLength: 15, maxLength: 15 },
)

function story(all: readonly Step[]): { ids: readonly string[]; events: readonly ConsumedEvent[] } {
  const ids = [randomUUID(), randomUUID(), randomUUID()]
  return { ids, events: all.map(({ quote, kind }) => messages[kind](ids[quote] ?? '')) }
}

/** The rows and announcements of a case, with ids replaced by indexes. */
async function outcomeOf(ids: readonly string[], from: number) {
  const placed = (text: string) =>
    ids.reduce((now, id, at) => now.replaceAll(id, `quote ${at}`), text)
  const rows = (await world.quotes()).filter(({ id }) => ids.includes(id))
  const announced = world.published
    .slice(from)
    .filter(({ type }) => !isAnswer(type))
    .map(({ type, key }) => `${type} ${key}`)
  return {
    rows: rows.map((row) => placed(JSON.stringify(row))).toSorted(),
    announced: announced.map(placed).toSorted(),
  }
}

/** Answers to queries are published each time; the id is derived from the query's. */
function isAnswer(type: string): boolean {
  return type.startsWith('QuoteQuery')
}

test('A redelivery of any batch, in any split, changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(steps, split, async (all, batches) => {
      const once = story(all)
      const fromOnce = world.published.length
      for (const event of once.events) await world.handle(event)
      const expected = await outcomeOf(once.ids, fromOnce)

      const again = story(all)
      const fromAgain = world.published.length
      let done = 0
      for (const { length, again: back } of batches) {
        const batch = batchFrom(again.events.slice(done), length)
        await world.handle(...batch)
        done += batch.length
        await world.handle(...again.events.slice(Math.max(0, done - back), done))
      }
      const found = await outcomeOf(again.ids, fromAgain)
      expect(found.rows).toEqual(expected.rows)
      expect(new Set(found.announced)).toEqual(new Set(expected.announced))
      expectOnce(again.ids, fromAgain)
    }),
    { numRuns: 60 },
  )
})

/** A report follows its cause, so it is never in the same batch. */
function batchFrom(events: readonly ConsumedEvent[], length: number): readonly ConsumedEvent[] {
  const isReport = ({ payload }: ConsumedEvent) => 'reports' in payload
  const at = events.findIndex(isReport)
  if (at === 0) return events.slice(0, 1)
  return events.slice(0, at < 0 ? length : Math.min(at, length))
}

/** Each quote has at most one start and one end. */
function expectOnce(ids: readonly string[], from: number): void {
  const published = world.published.slice(from)
  const beginnings = ['QuoteRequestAccepted']
  const ends = ['QuoteResponseAccepted', 'QuoteRejectAccepted', 'RuleViolatedInQuoteResponse']
  for (const id of ids) {
    const of = (types: readonly string[]) =>
      published.filter(({ type, key }) => key === id && types.includes(type)).length
    expect(of(beginnings)).toBeLessThanOrEqual(1)
    expect(of(ends)).toBeLessThanOrEqual(1)
  }
}
