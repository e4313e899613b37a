/**
 * Messages about bulks in any order and number, with crashes between any two steps: every item becomes
 * final with the ledger's outcome, and every bulk ends with its last item and is announced once.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { Gate } from '@causeway/process/testing/gated'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ConsumedEvent } from '../handle.ts'
import type { Swept } from '../store.ts'
import { sweep } from '../expiry/sweep.ts'
import {
  bulkFulfilEvent,
  bulkPrepareEvent,
  bulkQueryEvent,
  bulkRejectEvent,
} from '../testing/bulk-messages.ts'
import {
  fulfilEvent,
  fulfilment,
  hashOf,
  otherFulfilment,
  payer,
  prepareEvent,
} from '../testing/messages.ts'
import { openWorld } from '../testing/world.ts'
import type { BulkFulfilEvent } from './contract.ts'
import type { ConsumedOfBulks } from './handle.ts'

type WireResult = BulkFulfilEvent['payload']['individualTransferResults'][number]

/** Two bulks that share an id, one of them naming an id twice, and a single transfer with another's id. */
const requests: Readonly<Record<string, readonly string[]>> = {
  'bulk-a': ['item-1', 'item-2', 'shared', 'single'],
  'bulk-b': ['shared', 'item-3', 'item-3'],
}
const bulkIds = Object.keys(requests)
/** Cover for four items of 10 and a single transfer of 12.5, so that some do not fit. */
const covers = new Map([[payer, 450_000n]])

const outcomes = ['paid', 'wrong', 'refused', 'silent'] as const

type Incoming =
  | { readonly kind: 'prepare' | 'modified' | 'reject' | 'query'; readonly bulk: number }
  | {
      readonly kind: 'fulfil'
      readonly bulk: number
      readonly state: 'COMPLETED' | 'PROCESSING' | 'REJECTED'
      readonly outcomes: readonly (typeof outcomes)[number][]
    }
  | { readonly kind: 'single' | 'fulfil of the single'; readonly bulk: number }

type Step =
  | {
      readonly type: 'event'
      readonly incoming: Incoming
      readonly redelivers: boolean
      readonly gates_max: number
    }
  | { readonly type: 'sweep'; readonly gates_max: number }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'go on'; readonly choices: readonly number[] }

const bulk = fc.nat(1)
const incoming: fc.Arbitrary<Incoming> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('prepare' as const), bulk }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('fulfil' as const),
      bulk,
      state: fc.constantFrom('COMPLETED' as const, 'PROCESSING' as const, 'REJECTED' as const),
      outcomes: fc.array(fc.constantFrom(...outcomes), { minLength: 4, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'modified' as const,
        'reject' as const,
        'query' as const,
        'single' as const,
        'fulfil of the single' as const,
      ),
      bulk,
    }),
  },
)
/** How many gates are passed before the process dies; most live. */
const gates_max = fc.oneof(
  { weight: 2, arbitrary: fc.constant(1_000) },
  { weight: 1, arbitrary: fc.nat(16) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('event' as const),
      incoming,
      redelivers: fc.boolean(),
      gates_max,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('sweep' as const), gates_max }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.nat(45_000) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('go on' as const),
      choices: fc.array(fc.nat(7), { minLength: 1, maxLength: 16 }),
    }),
  },
)

/** PROPERTY_RUNS=10000 tries a hundred times as many. */
const runs = 250
const { numRuns = 100 } = fc.readConfigureGlobal()
const timeout_ms = 60_000 + runs * numRuns

type Event = ConsumedOfBulks | ConsumedEvent

function openHeldWorld() {
  const world = openWorld({ covers })
  const held: (() => void)[] = []
  /** What the groups have not finished, and when it was announced. */
  const unfinished = new Map<Event, string>()
  const failures: unknown[] = []

  function holding(gates: number): Gate {
    let passed = 0
    return async () => {
      await new Promise<void>((resolve) => held.push(resolve))
      // A process that has died goes on with nothing.
      if (passed++ >= gates) await new Promise<never>(() => undefined)
    }
  }

  function begin(work: Promise<void>, onDone?: () => void): void {
    work.then(onDone, (error: unknown) => failures.push(error))
  }

  function handle(gate: Gate, event: Event): Promise<void> {
    return event.name.startsWith('Bulk')
      ? world.handleBulksThrough(gate, [event as ConsumedOfBulks])
      : world.handleThrough(gate, [event as ConsumedEvent])
  }

  /** The group of bulks holds back items alone, that of transfers all others. */
  function clock(which: Swept): Promise<Date> {
    const announced = [...unfinished].filter(
      ([{ name }]) => name.startsWith('Bulk') === (which === 'items'),
    )
    const oldest = Math.min(...announced.map(([, at]) => Date.parse(at)))
    return Promise.resolve(new Date(Math.min(oldest, Date.parse(world.iso()))))
  }

  async function letThrough(choice: number): Promise<void> {
    held.splice(choice % Math.max(held.length, 1), 1)[0]?.()
    await new Promise(setImmediate)
  }

  return {
    ...world,
    failures,
    letThrough,
    deliver(event: Event, gates: number) {
      if (!unfinished.has(event)) unfinished.set(event, world.iso())
      begin(handle(holding(gates), event), () => unfinished.delete(event))
    },
    sweeper(gates: number) {
      for (const which of ['singles', 'items'] as const) {
        begin(sweep(world.depsThrough(holding(gates)), which, { batch_max: 2, clock }))
      }
    },
    /** The bus delivers again what was lost, one by one; then all time runs out. */
    async finish() {
      while (held.length > 0) await letThrough(0)
      for (const event of unfinished.keys()) await handle(() => undefined, event)
      world.time(600_000)
      await world.sweep()
    },
    again: (event: Event) => handle(() => undefined, event),
  }
}

function resultsOf(transferId: string, outcome: (typeof outcomes)[number]): WireResult[] {
  switch (outcome) {
    case 'paid':
      return [{ transferId, fulfilment }]
    case 'wrong':
      return [{ transferId, fulfilment: otherFulfilment }]
    case 'refused':
      return [{ transferId, errorInformation: { errorCode: '5104', errorDescription: 'no' } }]
    case 'silent':
      return []
  }
}

function eventOf(one: Incoming, receivedAt: string): Event {
  const id = bulkIds[one.bulk] ?? 'bulk-a'
  const items = requests[id] ?? []
  switch (one.kind) {
    case 'prepare':
      return bulkPrepareEvent(id, items)
    case 'modified':
      return bulkPrepareEvent(id, ['item-9'], { payloadHash: hashOf('modified') })
    case 'fulfil': {
      const results = items.flatMap((transferId, at) =>
        resultsOf(transferId, one.outcomes[at] ?? 'silent'),
      )
      return bulkFulfilEvent(id, results, { bulkTransferState: one.state, receivedAt })
    }
    case 'reject':
      return bulkRejectEvent(id, { receivedAt })
    case 'query':
      return bulkQueryEvent(id, payer)
    case 'single':
      return prepareEvent('single')
    case 'fulfil of the single':
      return fulfilEvent('single', { receivedAt })
  }
}

async function play(steps: readonly Step[]) {
  const world = openHeldWorld()
  const issued: Event[] = []
  for (const one of steps) {
    switch (one.type) {
      case 'event': {
        const event = eventOf(one.incoming, world.iso())
        const same = issued.filter(({ name, payload }) => {
          const key = (of: object) => ('bulkTransferId' in of ? of.bulkTransferId : undefined)
          return name === event.name && key(payload) === key(event.payload)
        })
        const again = one.redelivers ? same.at(-1) : undefined
        if (again === undefined) issued.push(event)
        world.deliver(again ?? event, one.gates_max)
        break
      }
      case 'sweep':
        world.sweeper(one.gates_max)
        break
      case 'time':
        world.time(one.ms)
        break
      case 'go on':
        for (const choice of one.choices) await world.letThrough(choice)
    }
  }
  await world.finish()
  return { world, issued }
}

const ends = new Set(['BulkTransferCompleted', 'BulkTransferRejected'])

const nothing: EndPayload = { individualTransferResults: [] }

interface EndPayload {
  readonly individualTransferResults: readonly {
    readonly transferId: string
    readonly fulfilment?: string
  }[]
}

/** The ids of the items that were announced as ended, sorted. */
function endedIn(published: readonly OutgoingMessage[]): readonly string[] {
  return published
    .filter(({ type }) => type === 'BulkTransferItemsEnded')
    .flatMap(({ payload }) =>
      (payload as { items: readonly { transferId: string }[] }).items.map(
        ({ transferId }) => transferId,
      ),
    )
    .sort()
}

test(
  'In every interleaving each bulk ends with its last item, agrees with the ledger, and is announced once',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const { world, issued } = await play(steps)
        const { tables, ledger } = world
        expect(world.failures).toEqual([])
        expect(world.alarms.filter((kind) => kind !== 'REJECT_AFTER_COMMIT')).toEqual([])
        for (const row of tables.rows.values()) {
          const outcome = ledger.entries.get(row.transferId)?.outcome
          expect([row.state, outcome]).toEqual(
            row.state === 'COMMITTED'
              ? ['COMMITTED', 'POSTED']
              : ['ABORTED', outcome === 'REFUSED' ? 'REFUSED' : 'VOIDED'],
          )
        }
        for (const [id, stored] of tables.bulkRows) {
          const own = [...tables.rows.values()].filter(
            ({ bulkTransferId }) => bulkTransferId === id,
          )
          const committed = own.filter(({ state }) => state === 'COMMITTED')
          expect(stored.counts).toEqual({
            items: stored.transferIds.length,
            undecided: 0,
            open: 0,
            committed: committed.length,
          })
          if (committed.length > 0) expect(stored.state).toBe('COMPLETED')
          const published = tables.published.filter(({ key }) => key === id)
          const end = published.filter(({ type }) => ends.has(type))
          expect(end).toHaveLength(1)
          const { individualTransferResults } =
            (end[0]?.payload as EndPayload | undefined) ?? nothing
          expect(individualTransferResults.map(({ transferId }) => transferId)).toEqual(
            stored.transferIds,
          )
          const paid = individualTransferResults.filter((result) => result.fulfilment !== undefined)
          expect(paid.map(({ transferId }) => transferId).sort()).toEqual(
            committed.map(({ transferId }) => transferId).sort(),
          )
          expect(endedIn(published)).toEqual(own.map(({ transferId }) => transferId).sort())
          const asked = published.filter(({ type }) => type === 'BulkTransferPrepared')
          expect(asked).toHaveLength(stored.leftOut === undefined ? 0 : 1)
        }
        expect(
          tables.published.filter(({ type, key }) => !type.startsWith('Bulk') && key !== 'single'),
        ).toEqual([])

        const rows = JSON.stringify([...tables.rows.values()], bigintText)
        const bulks = JSON.stringify([...tables.bulkRows.values()])
        const publishedBefore = tables.published.length
        for (const event of issued) await world.again(event)
        expect(JSON.stringify([...tables.rows.values()], bigintText)).toBe(rows)
        expect(JSON.stringify([...tables.bulkRows.values()])).toBe(bulks)
        const again = tables.published.slice(publishedBefore).map(({ type }) => type)
        expect(again.filter((type) => ends.has(type) || type === 'BulkTransferPrepared')).toEqual(
          [],
        )
      }),
      { numRuns: runs },
    )
  },
  timeout_ms,
)

test(
  'No item whose fulfilment the hub received in time is reported as expired',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
        const { world, issued } = await play(steps)
        for (const stored of world.tables.bulkRows.values()) {
          const { lastWord, expiresAt } = stored
          const last = issued.find(({ id }) => id === lastWord?.eventId)
          if (last?.name !== 'BulkTransferFulfilRequested') continue
          const { receivedAt, individualTransferResults } = last.payload
          if (Date.parse(receivedAt) >= Date.parse(expiresAt)) continue
          for (const { transferId } of individualTransferResults) {
            const row = world.tables.rows.get(transferId)
            if (row?.bulkTransferId !== stored.bulkTransferId || row.state !== 'ABORTED') continue
            const position = stored.transferIds.indexOf(transferId)
            if (stored.leftOut?.includes(position) === true) continue
            expect([transferId, row.reason]).not.toEqual([transferId, 'TIMEOUT'])
          }
        }
      }),
      { numRuns: runs },
    )
  },
  timeout_ms,
)

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
