/** Dependencies of every step: stored transfers, the ledger, the clock, and a way to raise an alarm. */
import type { BatchContext } from '@causeway/bus'
import type { Logger, Metrics } from '@causeway/process'
import { Counter } from 'prom-client'
import type { BulkQuotes } from './bulks/quotes.ts'
import type { BulkTables } from './bulks/store.ts'
import type { Compatibility } from './contract.ts'
import type { PayeeRules } from './domain/decide.ts'
import type { Ledger } from './ledger.ts'
import type { TransferStore } from './store.ts'

/** A contradiction that needs an operator. */
export type AlarmKind =
  /** The ledger's answer cannot follow from the stored state. */
  | 'LEDGER_DISAGREES'
  /** The ledger could not take an item. */
  | 'LEDGER_FAULT'
  /** A payee FSP refuses what was committed to it. */
  | 'REJECT_AFTER_COMMIT'
  /** The ledger holds a reservation, long expired, that transfers does not have. */
  | 'RESERVATION_UNKNOWN'
  /** The ledger's answer is one that this release does not understand. */
  | 'LEDGER_NEWER'
  /** A message of the payee FSP is a dead letter; its transfer does not expire. */
  | 'PAYEE_MESSAGE_GIVEN_UP'
  /** All items of a bulk are final, but its counts disagree. */
  | 'BULK_MISCOUNTED'
  /** A transfer that is due, or a bulk whose items are final, cannot be ended. */
  | 'NOT_ENDED'
  /** A message has been unfinished for so long that transfers no longer expire. */
  | 'TIMEOUTS_HELD_BACK'

/** Without an id if it does not concern a single transfer. */
export type RaiseAlarm = (kind: AlarmKind, transferId: string | undefined, detail: string) => void

export interface Deps {
  readonly store: TransferStore
  readonly bulks: BulkTables
  readonly bulkQuotes: BulkQuotes
  readonly ledger: Ledger
  readonly alarm: RaiseAlarm
  readonly now: () => Date
  /** How long after its expiry the sweeper first looks at a transfer. */
  readonly expiryGrace_ms: number
  readonly payeeRules: PayeeRules
  /** Which error codes refusals get. */
  readonly compatibility: Compatibility
  /** Whether a payee FSP's HTTP refusal of POST /transfers ends the transfer. */
  readonly abortsRefusedDeliveries: boolean
  /** How long after its end a rejected bulk is returned by GET. */
  readonly rejectedBulksKept_ms: number
}

/** For the steps of bulks: before each piece of large work single transfers go first. */
export interface BulkDeps extends Deps, Pick<BatchContext, 'giveWay'> {}

export function openAlarms(log: Logger, metrics: Metrics): RaiseAlarm {
  const alarms = new Counter({
    name: 'transfers_alarms_total',
    help: 'Contradictions that an operator has to look at',
    labelNames: ['kind'],
    registers: [metrics],
  })
  return (kind, transferId, detail) => {
    alarms.inc({ kind })
    log.warn({ alarm: kind, transferId, detail }, 'alarm')
  }
}
