/**
 * Funds in and out: the ledger decides each movement in its turn, in one transaction with its audit
 * entry.
 */
import { type Audited, type By, participantSubject } from '@causeway/events'
import { refuse } from '@causeway/services'
import type { EventBus } from '@causeway/bus'
import { formatAmount } from '@causeway/money'
import type { Transaction } from '@causeway/postgres'
import { announceAudit } from '../audit-entry.ts'
import type { Deposit, EndWithdrawal, Withdraw } from '../domain/command.ts'
import type { FundsRefusal } from '../domain/decision.ts'
import type { Entry } from '../domain/entry.ts'
import { entriesOf } from '../entry-store.ts'
import { decideIn, type DecidingRules, type Writer } from '../writer.ts'
import { decimalsFault, type RefusedChange } from '../domain/refusal.ts'
import { stateOf } from './domain/state.ts'

export interface FundsParts {
  readonly writer: Writer
  readonly bus: EventBus
  readonly rules: DecidingRules
  /** The active settlement models that serve a currency. */
  readonly modelsOf: (currency: string) => Promise<readonly { readonly isGross: boolean }[]>
  /** Whether what a participant owes stays covered, under any settlement model. */
  readonly protectsPosition: boolean
  /** How long funds out are held. */
  readonly validity_ms: number
}

export type FundsCommand = Deposit | Withdraw | EndWithdrawal

export type FundsOutcome =
  | RefusedChange
  | {
      readonly type: 'DONE'
      readonly entry: Entry
      /** Null when the movement was already in this state. */
      readonly audited: Audited | null
    }

export async function recordFunds(
  { writer, bus, rules }: Pick<FundsParts, 'writer' | 'bus' | 'rules'>,
  command: FundsCommand,
  by: By,
): Promise<FundsOutcome> {
  return writer.runExclusive(async (tx) => {
    const outcome = await fundsIn(tx, rules, command)
    if (outcome.type === 'DONE' && outcome.audited) announceAudit(bus, tx, by, outcome.audited)
    return outcome
  })
}

/** The same inside the caller's transaction; the caller writes the audit entry. */
export async function fundsIn(
  tx: Transaction,
  rules: DecidingRules,
  command: FundsCommand,
): Promise<FundsOutcome> {
  const [before] = await entriesOf(tx, [command.id])
  const [answer] = await decideIn(tx, [command], rules)
  switch (answer?.type) {
    case 'ENTRY': {
      const { entry } = answer
      const audited = entry.outcome === before?.outcome ? null : auditedFunds(before, entry)
      return command.type === 'END_WITHDRAWAL'
        ? ended(command, entry, audited)
        : { type: 'DONE', entry, audited }
    }
    case 'DECLINE':
      return declined(answer.reason, command, rules)
    case 'MISMATCH':
      return refuse('MODIFIED', `${command.id} was used before with other content`)
    case 'UNKNOWN':
      return refuse('FUNDS_UNKNOWN', `there are no funds ${command.id} of ${command.participant}`)
    case 'TOO_EARLY':
      return refuse('FUNDS_STATE_WRONG', `the funds ${command.id} are not due to expire yet`)
    default:
      throw new Error(`the ledger could not record the funds ${command.id}`)
  }
}

/** A commit that came too late ends the hold and is refused. */
function ended({ how, id }: EndWithdrawal, entry: Entry, audited: Audited | null): FundsOutcome {
  const state = stateOf(entry)
  const wanted = { COMMIT: 'COMMITTED', ABORT: 'ABORTED_REJECTED', EXPIRE: 'EXPIRED' }[how]
  if (state === wanted || audited !== null) return { type: 'DONE', entry, audited }
  return state === 'EXPIRED'
    ? refuse('FUNDS_EXPIRED', `the funds ${id} were not completed in time`)
    : refuse('FUNDS_STATE_WRONG', `the funds ${id} are ${state}`)
}

function auditedFunds(before: Entry | undefined, entry: Entry): Audited {
  const { id, terms, kind, reason } = entry
  return {
    subject: `${participantSubject(terms?.payer ?? '')}/funds/${id}`,
    before: before === undefined ? null : { state: stateOf(before) },
    after: {
      state: stateOf(entry),
      ...(reason === null ? {} : { reason }),
      direction: kind === 'FUNDS_IN' ? 'IN' : 'OUT',
      amount: terms === null ? '' : formatAmount(terms.amount),
      currency: terms?.currency ?? '',
    },
  }
}

/** In a one-step withdrawal, insufficient cover is a refusal. */
export function coveredOr(outcome: FundsOutcome): FundsOutcome {
  return outcome.type === 'DONE' && outcome.entry.outcome === 'REFUSED'
    ? refuse('COVER_SHORT', 'the amount exceeds the available cover')
    : outcome
}

/**
 * Whether positions are protected: by setting, or because a model of the currency settles gross.
 */
export async function protects(parts: FundsParts, currency: string): Promise<boolean> {
  if (parts.protectsPosition) return true
  return (await parts.modelsOf(currency)).some(({ isGross }) => isGross)
}

function declined(
  reason: FundsRefusal,
  command: FundsCommand,
  { decimals }: Pick<DecidingRules, 'decimals'>,
): RefusedChange {
  const tooFine =
    reason === 'DECIMALS_TOO_MANY' && 'amount' in command
      ? decimalsFault(decimals?.(), command.currency, command.amount)
      : undefined
  return tooFine ?? refuse(reason, detailOf(reason, command))
}

function detailOf(reason: FundsRefusal, command: FundsCommand): string {
  const { participant, accountId } = command
  const currency = 'currency' in command ? command.currency : 'its currency'
  switch (reason) {
    case 'PARTICIPANT_UNKNOWN':
      return `there is no participant ${participant}`
    case 'PARTICIPANT_INACTIVE':
      return `${participant} is in a state that does not permit it`
    case 'ACCOUNT_UNKNOWN':
      return `${participant} has no account ${accountId}`
    case 'ACCOUNT_TYPE_WRONG':
      return `account ${accountId} covers no position: it is not of type SETTLEMENT`
    case 'CURRENCY_MISMATCH':
      return `account ${accountId} is not in ${currency}`
    case 'DECIMALS_TOO_MANY':
      return `the amount has more decimals than ${currency}`
    case 'ACCOUNT_INACTIVE':
      return `account ${accountId} is not active`
    case 'HUB_ACCOUNTS_MISSING':
      return `the hub has no active HUB_RECONCILIATION account in ${currency}`
  }
}
