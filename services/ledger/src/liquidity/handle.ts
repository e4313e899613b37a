/** Excluding a part of a cover, decided in the ledger's queue on the current accounts. */
import { type Audited, type By, participantSubject } from '@causeway/events'
import { refuse, unknownParticipant } from '@causeway/services'
import type { EventBus } from '@causeway/bus'
import { formatAmount } from '@causeway/money'
import type { Transaction } from '@causeway/postgres'
import { announceAudit } from '../audit-entry.ts'
import { checkAlarms } from '../alarms/check.ts'
import { excludedOf } from '../domain/account.ts'
import type { DecidingRules, Writer } from '../writer.ts'
import { decimalsFault, type RefusedChange } from '../domain/refusal.ts'
import { resolve, type CoverReservation } from './domain/cover.ts'
import { liquidityOf, lockParticipant, reservationOf, saveReservation } from './store.ts'

export type CoverOutcome =
  | RefusedChange
  | {
      readonly type: 'DONE'
      readonly reservationId: number
      readonly resolved: bigint
      /** Null when the request was recorded before. */
      readonly audited: Audited | null
    }

export interface CoverRules extends DecidingRules {
  /** Whether a percentage of cover that is excluded follows the deposit. */
  readonly coverFollows: boolean
}

export interface CoverParts {
  readonly writer: Writer
  readonly bus: EventBus
  readonly rules: CoverRules
}

export async function recordCover(
  { writer, bus, rules }: CoverParts,
  command: CoverReservation,
  by: By,
): Promise<CoverOutcome> {
  return writer.runExclusive(async (tx) => {
    const outcome = await coverIn(tx, rules, command)
    if (outcome.type === 'DONE' && outcome.audited) announceAudit(bus, tx, by, outcome.audited)
    return outcome
  })
}

/** The same inside the caller's transaction; idempotent by the id of the request. */
export async function coverIn(
  tx: Transaction,
  { decimals, states, alarms, coverFollows }: CoverRules,
  command: CoverReservation,
): Promise<CoverOutcome> {
  const { participant: name, currency, mode, value } = command
  if (!(await lockParticipant(tx, name))) return unknownParticipant(name)
  const liquidity = await liquidityOf(tx, name, currency)
  if (liquidity === undefined) {
    return refuse('ACCOUNT_UNKNOWN', `${name} has no account that covers positions in ${currency}`)
  }
  const { settlement } = liquidity
  const stored = await reservationOf(tx, command.requestId)
  if (stored !== undefined) {
    const { id, resolved } = stored
    return stored.accountId === settlement.id && stored.mode === mode && stored.value === value
      ? { type: 'DONE', reservationId: id, resolved, audited: null }
      : refuse('MODIFIED', `${command.requestId} was used before with other content`)
  }
  const tooFine = mode === 'AMOUNT' ? decimalsFault(decimals?.(), currency, value) : undefined
  if (tooFine !== undefined) return tooFine
  const resolved = resolve(liquidity, command)
  if (typeof resolved !== 'bigint') return resolved
  const reservationId = await saveReservation(tx, settlement.id, command, {
    resolved,
    follows: coverFollows,
  })
  if (alarms !== undefined) await checkAlarms(tx, { alarms, states }, name, currency)
  const audited: Audited = {
    subject: `${participantSubject(name)}/cover/${currency}`,
    before: { excluded: formatAmount(excludedOf(settlement)) },
    after: { excluded: formatAmount(resolved), mode, value: formatAmount(value) },
  }
  return { type: 'DONE', reservationId, resolved, audited }
}
