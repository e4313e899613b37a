/**
 * Whatever comes in whatever order, however often, with crashes between any two steps: every transfer
 * ends final, says what the ledger holds, and says it once.
 */
import { derivedId } from '@causeway/events'
import type { Gate } from '@causeway/process/testing/gated'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Transfer } from './domain/transfer.ts'
import type { FulfilEvent, PrepareEvent, QueryEvent, RejectEvent } from './contract.ts'
import { sweep } from './expiry/sweep.ts'
import {
  fulfilEvent,
  hashOf,
  modellessEvent,
  otherFulfilment,
  payer,
  prepareEvent,
  queryEvent,
  rejectEvent,
  withoutFulfilment,
} from './testing/messages.ts'
import { openWorld } from './testing/world.ts'

type Incoming = PrepareEvent | FulfilEvent | RejectEvent | QueryEvent

const kinds = [
  'prepare',
  'modified prepare',
  'prepare of another payer',
  'modelless prepare',
  'fulfil',
  'reserve-fulfil',
  'wrong fulfil',
  'missing fulfil',
  'fulfil of a stranger',
  'reject',
  'query',
] as const

interface Sent {
  readonly kind: (typeof kinds)[number]
  readonly transfer: number
  /** The same event again, not a new message of the same content. */
  readonly redelivers: boolean
}

type Step =
  | { readonly type: 'batch'; readonly sent: readonly Sent[]; readonly gates_max: number }
  | { readonly type: 'sweep'; readonly gates_max: number }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'go on'; readonly choices: readonly number[] }

const sent = fc.record<Sent>({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('prepare' as const) },
    { weight: 4, arbitrary: fc.constantFrom('fulfil' as const, 'reserve-fulfil' as const) },
    { weight: 3, arbitrary: fc.constantFrom(...kinds) },
  ),
  transfer: fc.nat(1),
  redelivers: fc.boolean(),
})
/** How many gates are passed before the process dies; most live. */
const gates_max = fc.oneof(
  { weight: 2, arbitrary: fc.constant(1_000) },
  { weight: 1, arbitrary: fc.nat(14) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('batch' as const),
      sent: fc.array(sent, { minLength: 1, maxLength: 3 }),
      gates_max,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('sweep' as const), gates_max }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.nat(45_000) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('go on' as const),
      choices: fc.array(fc.nat(7), { minLength: 1, maxLength: 12 }),
    }),
  },
)

/** PROPERTY_RUNS=10000 tries a hundred times as many. */
const runs = 250
const { numRuns = 100 } = fc.readConfigureGlobal()
const timeout_ms = 60_000 + runs * numRuns
const ids = ['transfer-a', 'transfer-b']

interface Announced {
  readonly events: readonly Incoming[]
  readonly at: string
}

/** A world in which every call waits until it is let through, and processes die. */
function openHeldWorld() {
  const world = openWorld()
  const held: (() => void)[] = []
  /** What the group has not finished, and when it was announced. */
  const unfinished = new Set<Announced>()
  const failures: unknown[] = []

  function holding(gates_max: number): Gate {
    let passed = 0
    return async () => {
      await new Promise<void>((resolve) => held.push(resolve))
      // A process that has died goes on with nothing.
      if (passed++ >= gates_max) await new Promise<never>(() => undefined)
    }
  }

  function begin(work: Promise<void>, onDone?: () => void): void {
    work.then(onDone, (error: unknown) => failures.push(error))
  }

  function lowWatermark(): Promise<Date> {
    const oldest = Math.min(...[...unfinished].map(({ at }) => Date.parse(at)))
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
    batch(events: readonly Incoming[], gates_max: number) {
      const announced = { events, at: world.iso() }
      unfinished.add(announced)
      begin(world.handleThrough(holding(gates_max), events), () => unfinished.delete(announced))
    },
    sweeper: (gates_max: number) =>
      begin(
        sweep(world.depsThrough(holding(gates_max)), 'singles', {
          batch_max: 2,
          clock: lowWatermark,
        }),
      ),
    /** The bus delivers again what was lost, one by one; then all time runs out. */
    async finish() {
      while (held.length > 0) await letThrough(0)
      for (const { events } of unfinished) for (const event of events) await world.handle(event)
      world.time(600_000)
      await world.sweep()
    },
  }
}

function eventOf({ kind, transfer }: Sent, receivedAt: string): Incoming {
  const id = ids[transfer] ?? 'transfer-a'
  switch (kind) {
    case 'prepare':
      return prepareEvent(id, { expiration: '2026-01-01T00:01:00.000Z' })
    case 'modified prepare':
      return prepareEvent(id, { payloadHash: hashOf('modified') })
    case 'prepare of another payer':
      return prepareEvent(id, {
        payerFsp: 'otherbank',
        payerAccountId: undefined,
        payloadHash: hashOf('other payer'),
      })
    case 'modelless prepare':
      return modellessEvent(id)
    case 'fulfil':
      return fulfilEvent(id, { receivedAt })
    case 'reserve-fulfil':
      return fulfilEvent(id, { transferState: 'RESERVED', receivedAt })
    case 'wrong fulfil':
      return fulfilEvent(id, { fulfilment: otherFulfilment, receivedAt })
    case 'missing fulfil':
      return withoutFulfilment(fulfilEvent(id, { receivedAt, payloadHash: hashOf('none') }))
    case 'fulfil of a stranger':
      return fulfilEvent(id, { requesterFspId: 'stranger', receivedAt })
    case 'reject':
      return rejectEvent(id, { receivedAt })
    case 'query':
      return queryEvent(id, payer)
  }
}

const endings: Readonly<Record<string, 'COMMITTED' | 'ABORTED'>> = {
  TransferCommittedFulfiled: 'COMMITTED',
  TransferRejectRequestProcessed: 'ABORTED',
  TransferPrepareRequestTimedout: 'ABORTED',
  TransferFulfilComitRequestTimedout: 'ABORTED',
  TransferPrepareInvalidPayerCheckFailed: 'ABORTED',
  TransferPrepareInvalidPayeeCheckFailed: 'ABORTED',
  TransferPrepareLiquidityCheckFailed: 'ABORTED',
}

const statesOf = {
  RESERVED: ['RECEIVED', 'RESERVED'],
  POSTED: ['COMMITTED'],
  VOIDED: ['ABORTED'],
  REFUSED: ['ABORTED'],
}

async function play(steps: readonly Step[]) {
  const world = openHeldWorld()
  const issued: Incoming[] = []
  for (const step of steps) {
    switch (step.type) {
      case 'batch': {
        const events = step.sent.map((message) => {
          const event = eventOf(message, world.iso())
          const same = issued.filter(
            ({ name, payload }) =>
              name === event.name && payload.transferId === event.payload.transferId,
          )
          const again = message.redelivers ? same.at(-1) : undefined
          if (again === undefined) issued.push(event)
          return again ?? event
        })
        world.batch(events, step.gates_max)
        break
      }
      case 'sweep':
        world.sweeper(step.gates_max)
        break
      case 'time':
        world.time(step.ms)
        break
      case 'go on':
        for (const choice of step.choices) await world.letThrough(choice)
    }
  }
  await world.finish()
  return { world, issued }
}

test(
  'In every interleaving each transfer becomes final, agrees with the ledger, and is announced once',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const { world, issued } = await play(steps)
        const { tables, ledger } = world
        expect(world.failures).toEqual([])
        expect(world.alarms.filter((kind) => kind !== 'REJECT_AFTER_COMMIT')).toEqual([])
        const rows = [...tables.rows.values()]
        for (const row of rows) {
          const entry = ledger.entries.get(row.transferId)
          expect(['COMMITTED', 'ABORTED']).toContain(row.state)
          expect(statesOf[entry?.outcome ?? 'RESERVED']).toContain(row.state)
          // All FSPs have cover and accounts, and without a model nothing is asked for.
          if (entry?.outcome === 'REFUSED') expect(entry.reason).toBe('EXPIRED')
          const published = tables.published.filter(({ key }) => key === row.transferId)
          const ends = published.flatMap(({ type }) => endings[type] ?? [])
          expect(ends).toEqual([row.state])
          const prepared = published.filter(({ type }) => type === 'TransferPrepared')
          expect(prepared.length).toBeLessThanOrEqual(1)
        }
        expect([...ledger.entries.keys()].sort()).toEqual([...tables.rows.keys()].sort())

        const before = JSON.stringify(rows, bigintText)
        const publishedBefore = tables.published.length
        await world.handle(...issued)
        expect(JSON.stringify([...tables.rows.values()].slice(0, rows.length), bigintText)).toBe(
          before,
        )
        const again = tables.published.slice(publishedBefore)
        expect(again.filter(({ type }) => type in endings || type === 'TransferPrepared')).toEqual(
          [],
        )
        // The very events that made and ended a transfer are redeliveries: nothing is published for them.
        const own = new Set(rows.flatMap(ownEventsOf))
        const toOwn = new Set([...own].map((one) => derivedId(one, 'TransferQueryResponse')))
        expect(again.filter(({ id }) => toOwn.has(id))).toEqual([])
      }),
      { numRuns: runs },
    )
  },
  timeout_ms,
)

test(
  'Every message of a payee FSP either ends the transfer or is answered',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
        const { world, issued } = await play(steps)
        const publishedIds = new Set(world.tables.published.map(({ id }) => id))
        for (const { name, id, payload } of issued) {
          if (name !== 'TransferFulfilCommittedRequested') continue
          const row = world.tables.rows.get(payload.transferId)
          const ended = row !== undefined && 'outcomeEventId' in row && row.outcomeEventId === id
          expect(ended || publishedIds.has(derivedId(id, 'TransferQueryResponse'))).toBe(true)
        }
      }),
      { numRuns: runs },
    )
  },
  timeout_ms,
)

test(
  'No payee FSP whose answer was received in time gets a time-out',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
        const { world, issued } = await play(steps)
        const late = new Set<string>()
        for (const row of world.tables.rows.values()) {
          const { transferId, expiresAt } = row
          const answers = issued
            .filter(isAnswer)
            .filter((one) => one.payload.transferId === transferId)
          const isLate = ({ payload }: PayeeAnswer) =>
            Date.parse(payload.receivedAt) >= Date.parse(expiresAt)
          // Of one that came too late itself the ledger hears first here; a bus keeps their order.
          if (answers.some(isLate) || world.ledger.entries.get(transferId)?.reason !== 'TIMEOUT') {
            continue
          }
          for (const { id } of answers) late.add(derivedId(id, 'TransferQueryResponse'))
        }
        // An answer that comes before the request is first refused: the id is unknown.
        const first = new Map(
          world.tables.published.toReversed().map((published) => [published.id, published]),
        )
        const published = [...late].flatMap((id) => first.get(id) ?? [])
        expect(published.filter(({ payload }) => errorCodeOf(payload) === '3303')).toEqual([])
      }),
      { numRuns: runs },
    )
  },
  timeout_ms,
)

/** The request, and the message of the payee FSP that ended it. */
function ownEventsOf(row: Transfer): readonly string[] {
  const ended = 'outcomeEventId' in row ? row.outcomeEventId : undefined
  return ended === undefined ? [row.prepareEventId] : [row.prepareEventId, ended]
}

type PayeeAnswer = FulfilEvent | RejectEvent

function isAnswer(event: Incoming): event is PayeeAnswer {
  return (
    event.name === 'TransferFulfilCommittedRequested' || event.name === 'TransferRejectRequested'
  )
}

function errorCodeOf(payload: unknown): string | undefined {
  const { errorInformation } = payload as {
    readonly errorInformation?: { readonly errorCode: string }
  }
  return errorInformation?.errorCode
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
