/** Which alarms a batch of the ledger raises, found among the accounts that it has changed. */
import { coverOf, feesOwed, valueOf, type Account } from '../../domain/account.ts'
import type { BookChanges, LockedRows } from '../../domain/book.ts'
import type { Book } from '../../domain/decision.ts'
import { ruleInForce } from '../../domain/model-rule.ts'
import {
  decideAlarms,
  type AlarmDecision,
  type AlarmRules,
  type PositionReading,
  type Watched,
} from './alarm.ts'

/** An account whose alarms are to be stored, and notified if due. */
export interface Crossing extends AlarmDecision {
  readonly account: Account
  readonly reading: PositionReading
}

const shortages: ReadonlySet<string | null> = new Set(['COVER_SHORT', 'CAP_SHORT'])

/** The rows of a batch, and the accounts among them whose alarms are checked. */
export interface WatchedRows extends LockedRows {
  readonly watched: readonly Watched[]
}

/** A decided batch. */
export interface DecidedAccounts {
  readonly rows: WatchedRows
  readonly book: Pick<Book, 'account' | 'accountOf' | 'models'>
  readonly changes: BookChanges
}

/**
 * None in most batches. Looks at each account that was locked with a limit; other accounts cost
 * nothing.
 */
export function crossingsOf(
  { rows, book, changes }: DecidedAccounts,
  rules: AlarmRules,
): readonly Crossing[] {
  const refused = refusedPayers(changes)
  if (changes.accounts.length === 0 && refused.size === 0) return []
  const crossings: Crossing[] = []
  for (const { accountId, alarmPercentage, alarms } of rows.watched) {
    const account = book.account(accountId)
    if (account === undefined || account.cap === null) continue
    const { participantId, currency, cap } = account
    const { coverType, isChecked } = ruleInForce(book.models, currency)
    const settlement = book.accountOf(participantId, coverType, currency)
    if (settlement === undefined) continue
    const fees = book.accountOf(participantId, 'INTERCHANGE_FEE', currency)
    const cover = coverOf(settlement) - feesOwed(fees)
    const reading: PositionReading = {
      position: valueOf(account),
      limit: isChecked && cover < cap ? cover : cap,
      alarmPercentage,
      wasRefused: refused.get(participantId)?.has(currency) === true,
    }
    const decision = decideAlarms(alarms, reading, rows.now, rules)
    if (decision.alarms !== alarms) crossings.push({ ...decision, account, reading })
  }
  return crossings
}

/**
 * Payers whose transfers were refused for lack of liquidity, by currency; refused funds out do not
 * count.
 */
function refusedPayers({ entered }: BookChanges): ReadonlyMap<number, ReadonlySet<string>> {
  const payers = new Map<number, Set<string>>()
  for (const { kind, outcome, reason, parties, terms } of entered) {
    if (kind !== 'TRANSFER' || outcome !== 'REFUSED' || !shortages.has(reason)) continue
    if (parties.payerId === null || terms === null) continue
    const currencies = payers.get(parties.payerId)
    if (currencies === undefined) payers.set(parties.payerId, new Set([terms.currency]))
    else currencies.add(terms.currency)
  }
  return payers
}
