/** One transfers service with simulated tables and the ledger's decisions in memory, and a clock that tests set. */
import type { OutgoingMessage } from '@causeway/bus'
import { openLedgerInMemory, type LedgerInMemoryOptions } from '@causeway/ledger/testing'
import { openLog } from '@causeway/process'
import { gated, type Gate } from '@causeway/process/testing/gated'
import { handleBulks, type ConsumedOfBulks } from '../bulks/handle.ts'
import type { QuoteRefusal } from '../bulks/quotes.ts'
import { handleBatch, type ConsumedEvent } from '../handle.ts'
import type { PayeeRules } from '../domain/decide.ts'
import { openLedger } from '../ledger.ts'
import { rememberReserved, reservations } from '../reserved.ts'
import type { Swept } from '../store.ts'
import { heal, openSweepClock, sweep, type SweepOptions } from '../expiry/sweep.ts'
import type { AlarmKind, Deps } from '../deps.ts'
import { payee, payer } from './messages.ts'
import { simulateStore } from './store-simulation.ts'

const grace_ms = 1_000
const started = Date.parse('2026-01-01T00:00:00.000Z')

export type WorldOptions = Pick<LedgerInMemoryOptions, 'refusals' | 'faulty' | 'covers'> &
  Partial<PayeeRules & Pick<Deps, 'compatibility' | 'abortsRefusedDeliveries'>> & {
    /** Why bulks are refused for the bulk quotes that they name. */
    readonly quoteRefusal?: QuoteRefusal
  }

export function openWorld({
  misdirectedAborts = false,
  compatibility = 'specification',
  abortsRefusedDeliveries = false,
  quoteRefusal,
  ...options
}: WorldOptions = {}) {
  let now = started
  /** Of each group; undefined: everything is processed at any time. */
  const lowWatermarks: Partial<Record<Swept, number | undefined>> = {}
  const ledger = openLedgerInMemory({
    now: () => now,
    grace_ms,
    participants: [payer, payee],
    ...options,
  })
  const tables = simulateStore()
  const alarms: AlarmKind[] = []
  const log = openLog({ name: 'test', level: 'silent' })
  const { signal } = new AbortController()

  /** What two processes remember, each without the other's work. */
  const memories = [reservations(), reservations()]
  let turn = 0

  /** The same service, held up or cut off at its gates; now the one process, now the other. */
  function depsThrough(gate: Gate): Deps {
    return {
      store: rememberReserved(gated(tables.store, gate), memories[turn++ % memories.length]),
      bulks: gated(tables.bulks, gate),
      bulkQuotes: gated({ refusalOf: () => Promise.resolve(quoteRefusal) }, gate),
      ledger: openLedger(gated(ledger.calls, gate), { log, signal }),
      alarm: (kind) => alarms.push(kind),
      now: () => new Date(now),
      expiryGrace_ms: grace_ms,
      payeeRules: { misdirectedAborts },
      compatibility,
      abortsRefusedDeliveries,
      rejectedBulksKept_ms: 3_600_000,
    }
  }

  const open: Gate = () => undefined
  const deps = depsThrough(open)
  const sweeping: SweepOptions = {
    batch_max: 10,
    clock: openSweepClock(deps, {
      singles: () => Promise.resolve(new Date(lowWatermarks.singles ?? now)),
      items: () => Promise.resolve(new Date(lowWatermarks.items ?? now)),
    }),
  }
  async function sweepAll(): Promise<void> {
    await sweep(deps, 'singles', sweeping)
    await sweep(deps, 'items', sweeping)
  }

  const noDeliveries = { keep: () => Promise.resolve() }
  const handleThrough = (gate: Gate, events: readonly ConsumedEvent[]): Promise<void> =>
    handleBatch(depsThrough(gate), noDeliveries, events)

  const giveWay = () => Promise.resolve()
  const handleBulksThrough = (gate: Gate, events: readonly ConsumedOfBulks[]): Promise<void> =>
    handleBulks({ ...depsThrough(gate), giveWay }, noDeliveries, events)

  /** What was published while the work was done. */
  async function publishedBy(
    done: Promise<void>,
    from: number,
  ): Promise<readonly OutgoingMessage[]> {
    await done
    return tables.published.slice(from)
  }

  return {
    deps,
    ledger,
    tables,
    alarms,
    depsThrough,
    handleThrough,
    handle: (...events: readonly ConsumedEvent[]) =>
      publishedBy(handleThrough(open, events), tables.published.length),
    sweep: () => publishedBy(sweepAll(), tables.published.length),
    heal: () => publishedBy(heal(deps, sweeping), tables.published.length),
    row: (id: string) => tables.rows.get(id),
    handleBulksThrough,
    handleBulks: (...events: readonly ConsumedOfBulks[]) =>
      publishedBy(handleBulksThrough(open, events), tables.published.length),
    bulk: (id: string) => tables.bulkRows.get(id),
    time(ms: number): void {
      now += ms
    },
    /** A message to the group that was announced now is not processed, or everything is again. */
    holdBack(isHeld: boolean, group: Swept = 'singles'): void {
      lowWatermarks[group] = isHeld ? now : undefined
    },
    iso: () => new Date(now).toISOString(),
  }
}

export function typesOf(messages: readonly OutgoingMessage[]): readonly string[] {
  return messages.map(({ type }) => type)
}
