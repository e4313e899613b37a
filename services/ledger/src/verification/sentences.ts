/** The differences found by a comparison, as sentences with ids and amounts; bounded in number. */
import { formatAmount } from '@causeway/money'
import type {
  BalanceDifference,
  CurrencyDifference,
  Kind,
  UnpaidDifference,
} from './domain/accounts.ts'
import type { NetDifference } from './domain/nets.ts'
import type { EntryDifference, OrphanLine } from './line-store.ts'
import type { ExclusionDifference } from './moment-store.ts'
import type { FeeDifference, StampDifference } from './net-store.ts'

export interface Findings {
  add(sentences: readonly string[]): void
  isFull(): boolean
  /** The first of them; the rest is counted in a last sentence. */
  all(): readonly string[]
}

const sentences_max = 1_000

export function openFindings(): Findings {
  const reported: string[] = []
  let rest = 0
  return {
    add(sentences) {
      const room = sentences.slice(0, sentences_max - reported.length)
      reported.push(...room)
      rest += sentences.length - room.length
    },
    isFull: () => reported.length >= sentences_max,
    all: () =>
      rest === 0 ? reported : [...reported, `There are at least ${rest} more differences.`],
  }
}

const kindWords = {
  postedDebits: 'posted debits',
  pendingDebits: 'pending debits',
  postedCredits: 'posted credits',
  pendingCredits: 'pending credits',
} as const satisfies Record<Kind, string>

export function aboutBalance({ account, kind, journal }: BalanceDifference): string {
  const { id, participant, type, currency } = account
  return `Account ${id} (${participant}, ${type}, ${currency}) holds ${kindWords[kind]} ${formatAmount(account[kind])}, its journal makes ${formatAmount(journal)}.`
}

export function aboutExclusion(difference: ExclusionDifference): string {
  const { id, participant, type, currency, excluded, reserved } = difference
  const { percentage, reservedPercentage } = difference
  const account = `Account ${id} (${participant}, ${type}, ${currency})`
  return excluded === reserved
    ? `${account} excludes ${printed(percentage ?? '0')} % of its deposit, its reservation of cover ${printed(reservedPercentage ?? '0')} %.`
    : `${account} excludes ${printed(excluded)}, its reservation of cover ${printed(reserved)}.`
}

export function aboutUnpaid({ account, made }: UnpaidDifference): string {
  const { id, participant, type, currency, unpaid, unpaidSince } = account
  return `Account ${id} (${participant}, ${type}, ${currency}) has ${formatAmount(unpaid)} unpaid since batch ${unpaidSince}, settlements and funds out make ${formatAmount(made.unpaid)} since batch ${made.since}.`
}

export function aboutFee({ id, fee }: FeeDifference): string {
  return `The posted transfer ${id} is not charged the fee of ${printed(fee)} that was held with it.`
}

export function aboutUnknownAccount(id: number): string {
  return `The journal moves account ${id}, which does not exist.`
}

export function aboutCurrency({ currency, kind, debits, credits }: CurrencyDifference): string {
  return `The ${kind} debits of all ${currency} accounts are ${formatAmount(debits)}, their credits ${formatAmount(credits)}.`
}

export function aboutEntry({ id, kind, outcome, steps, expected }: EntryDifference): string {
  return `Entry ${id} (${kind}, ${outcome}) has the journal steps ${list(steps)} instead of ${list(expected)}.`
}

export function aboutOrphan({ entryId, step, amount }: OrphanLine): string {
  return `The journal has ${step} of ${printed(amount)} for ${entryId}, which is not an entry.`
}

/** Every entry has its lines, but the checksums differ, so batch numbers are wrong. */
export function aboutMarks(buckets: number): string {
  return `The journal and the entries differ in ${buckets} parts, though each entry has its lines: the numbers of their batches are wrong.`
}

export function aboutStamp({ id, amount, settles, windowId }: StampDifference): string {
  return `The posted transfer ${id} of ${printed(amount)} (${settles ?? 'no model'}) is in ${windowId === null ? 'no window' : `window ${windowId}`}.`
}

export function aboutNet({ counted, posted }: NetDifference): string {
  return `Window ${counted.windowId} has a net of ${formatAmount(counted.net)} in ${counted.transfers} transfers for account ${counted.accountId} under model ${counted.modelId}, its entries make ${formatAmount(posted.net)} in ${posted.transfers}.`
}

function printed(units: string): string {
  return formatAmount(BigInt(units))
}

function list(steps: string): string {
  return steps === '' ? 'none' : steps
}
