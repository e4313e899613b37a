/**
 * Why a payment ended as it did, in one sentence with the figures: the first thing that an operator
 * reads. A reason without a sentence does not compile.
 */
import { formatAmount } from '@causeway/money'
import type { AbortReason, LedgerEntryKind, LedgerEntryReason } from '@causeway/protos'

/** The values of the sentences. */
export interface CauseFacts {
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly amount: bigint
  readonly currency: string
  readonly expiresAt: string
  readonly receivedAt: string
  /** null when no limit was checked. */
  readonly limit: LimitFacts | null
  /** The payee FSP's reason. */
  readonly errorDescription: string
  /** The kind of the entry that has the id in the ledger; undefined when there is none. */
  readonly ledgerKind: LedgerEntryKind | undefined
  /** When a late fulfil arrived; undefined when none did. */
  readonly lateAnswerAt: string | undefined
}

export interface LimitFacts {
  readonly position: bigint
  readonly cover: bigint
  readonly cap: bigint
}

type Sentence = (facts: CauseFacts) => string

const sentences: Readonly<Record<AbortReason | LedgerEntryReason, Sentence>> = {
  PAYER_UNKNOWN: ({ payerFsp }) => `No participant is called ${payerFsp}.`,
  PAYEE_UNKNOWN: ({ payeeFsp }) => `No participant is called ${payeeFsp}.`,
  PAYER_INACTIVE: ({ payerFsp, currency }) =>
    `${payerFsp} or its account in ${currency} was not active.`,
  PAYEE_INACTIVE: ({ payeeFsp, currency }) =>
    `${payeeFsp} or its account in ${currency} was not active.`,
  PAYER_NO_ACCOUNT: ({ payerFsp, currency }) =>
    `${payerFsp} had no account that serves ${currency}.`,
  PAYEE_NO_ACCOUNT: ({ payeeFsp, currency }) =>
    `${payeeFsp} had no account that serves ${currency}.`,
  PAYEE_UNREACHABLE: ({ payeeFsp }) =>
    `${payeeFsp} had no address for such a request among its endpoints.`,
  EXPIRED: ({ expiresAt, receivedAt }) =>
    `It had expired at ${expiresAt} when it reached the ledger; the request was received at ${receivedAt}.`,
  COVER_SHORT: (facts) => shortage(facts, 'its cover', facts.limit?.cover),
  CAP_SHORT: (facts) => shortage(facts, 'its net debit cap', facts.limit?.cap),
  TIMEOUT: ({ payeeFsp, expiresAt, lateAnswerAt }) =>
    lateAnswerAt === undefined
      ? `${payeeFsp} had not answered when it expired at ${expiresAt}.`
      : `${payeeFsp} answered at ${lateAnswerAt}, after it had expired at ${expiresAt}.`,
  REJECTED: ({ payeeFsp, errorDescription }) => `${payeeFsp} refused it: ${errorDescription}.`,
  INVALID_FULFILMENT: ({ payeeFsp }) =>
    `The fulfilment that ${payeeFsp} sent does not hash to the condition of the request.`,
  MISDIRECTED_FULFIL: ({ payeeFsp, payerFsp }) =>
    `A fulfil was received that was not from ${payeeFsp} to ${payerFsp}.`,
  NO_SETTLEMENT_MODEL: ({ currency }) => `No active settlement model serves ${currency}.`,
  MISMATCH: ({ ledgerKind }) =>
    `The ledger holds something else under this id${ledgerKind === undefined ? '' : `: ${ledgerKind}`}.`,
  ABORTED: () => 'An operator has aborted it.',
  ACCOUNT_MISSING: ({ currency }) => `An account in ${currency} was missing.`,
}

/** @param reason undefined: none is stored */
export function causeOf(
  reason: AbortReason | LedgerEntryReason | undefined,
  facts: CauseFacts,
): string {
  return reason === undefined ? 'No reason is stored.' : sentences[reason](facts)
}

function shortage(
  { payerFsp, amount, currency, limit }: CauseFacts,
  what: string,
  bound: bigint | undefined,
): string {
  if (limit === null || bound === undefined) return `${payerFsp} had too little of ${what} left.`
  const after = limit.position + amount
  return `${payerFsp} owed ${formatAmount(limit.position)} ${currency}; with ${formatAmount(amount)} more it would be ${formatAmount(after)}, and ${what} was ${formatAmount(bound)}.`
}
