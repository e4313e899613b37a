/** Maps rows to quotes, and ended quotes to columns. */
import type { ErrorInformation } from '@causeway/fspiop'
import type {
  Accepted,
  Claimed,
  EndedQuote,
  EndingMessage,
  Quote,
  Rejected,
  RejectReason,
} from './domain/quote.ts'

export interface QuoteRow {
  readonly id: string
  readonly request_hash: Buffer
  readonly payer_fsp: string
  readonly payee_fsp: string | null
  readonly currency: string
  readonly expires_at: Date
  readonly payer_version: string
  readonly request_event_id: string
  readonly state: Quote['state']
  readonly reason: RejectReason | null
  readonly error: string | null
  readonly rule_id: string | null
  readonly outcome_event_id: string | null
  readonly outcome_hash: Buffer | null
  readonly transfer_amount: string | null
  readonly valid_until: Date | null
}

/** The columns of a `QuoteRow`; the table goes by the name q. */
export const columns = `q.id, q.request_hash, q.payer_fsp, q.payee_fsp, q.currency, q.expires_at,
  q.payer_version, q.request_event_id, q.state, q.reason, q.error, q.rule_id, q.outcome_event_id,
  q.outcome_hash, q.transfer_amount, q.valid_until`

export function quoteOf(row: QuoteRow): Quote {
  const claimed = claimedOf(row)
  const payeeFsp = row.payee_fsp ?? undefined
  switch (row.state) {
    case 'PENDING':
    case 'EXPIRED':
      return { ...claimed, state: row.state, payeeFsp: present(row, payeeFsp) }
    case 'ACCEPTED':
      return { ...claimed, ...acceptedOf(row, present(row, payeeFsp)) }
    case 'REJECTED':
      return { ...claimed, ...rejectedOf(row, payeeFsp) }
  }
}

function claimedOf(row: QuoteRow): Claimed {
  return {
    quoteId: row.id,
    payerFsp: row.payer_fsp,
    currency: row.currency,
    expiresAt: row.expires_at.toISOString(),
    requestHash: row.request_hash.toString('base64url'),
    payerVersion: row.payer_version,
    requestEventId: row.request_event_id,
  }
}

function acceptedOf(row: QuoteRow, payeeFsp: string): Accepted {
  return {
    state: 'ACCEPTED',
    payeeFsp,
    outcome: present(row, outcomeOf(row)),
    transferAmount: BigInt(present(row, row.transfer_amount)),
    validUntil: present(row, row.valid_until).toISOString(),
  }
}

function rejectedOf(row: QuoteRow, payeeFsp: string | undefined): Rejected {
  return {
    state: 'REJECTED',
    payeeFsp,
    reason: present(row, row.reason),
    error: JSON.parse(present(row, row.error)) as ErrorInformation,
    ruleId: row.rule_id ?? undefined,
    outcome: outcomeOf(row),
  }
}

function outcomeOf({ outcome_event_id, outcome_hash }: QuoteRow): EndingMessage | undefined {
  return outcome_event_id === null || outcome_hash === null
    ? undefined
    : { eventId: outcome_event_id, hash: outcome_hash.toString('base64url') }
}

/** A constraint of the table guarantees the value. */
function present<T>({ id, state }: QuoteRow, value: T | null | undefined): T {
  if (value === null || value === undefined)
    throw new Error(`${id} is ${state} without a required column`)
  return value
}

/** The columns of an ended quote. */
export interface EndColumns {
  readonly reason: string | null
  readonly error: string | null
  readonly ruleId: string | null
  readonly outcomeEventId: string | null
  readonly outcomeHash: Buffer | null
  readonly transferAmount: string | null
  readonly validUntil: string | null
}

const nothing: EndColumns = {
  reason: null,
  error: null,
  ruleId: null,
  outcomeEventId: null,
  outcomeHash: null,
  transferAmount: null,
  validUntil: null,
}

export function endColumns(quote: EndedQuote | { readonly state: 'PENDING' }): EndColumns {
  switch (quote.state) {
    case 'PENDING':
      return nothing
    case 'ACCEPTED':
      return {
        ...nothing,
        ...outcomeColumns(quote.outcome),
        transferAmount: String(quote.transferAmount),
        validUntil: quote.validUntil,
      }
    case 'REJECTED':
      return {
        ...nothing,
        ...outcomeColumns(quote.outcome),
        reason: quote.reason,
        error: JSON.stringify(quote.error),
        ruleId: quote.ruleId ?? null,
      }
  }
}

function outcomeColumns(outcome: EndingMessage | undefined) {
  return outcome === undefined
    ? {}
    : { outcomeEventId: outcome.eventId, outcomeHash: hashBytes(outcome.hash) }
}

export function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'base64url')
}
