/** Maps rows to bulk quotes, and ended bulk quotes to columns. */
import type { ErrorInformation } from '@causeway/fspiop'
import type { EndingMessage } from '../quotes/domain/quote.ts'
import { hashBytes } from '../quotes/row.ts'
import type { BulkQuote, ClaimedBulk, EndedBulk, RejectedBulk } from './domain/bulk-quote.ts'

export interface BulkRow {
  readonly id: string
  readonly request_hash: Buffer
  readonly payer_fsp: string
  readonly payee_fsp: string | null
  readonly expires_at: Date
  readonly payer_version: string
  readonly request_event_id: string
  readonly state: BulkQuote['state']
  readonly reason: RejectedBulk['reason'] | null
  readonly error: string | null
  readonly outcome_event_id: string | null
  readonly outcome_hash: Buffer | null
  readonly valid_until: Date | null
}

/** The columns of a `BulkRow`; the table goes by the name q. */
export const bulkColumns = `q.id, q.request_hash, q.payer_fsp, q.payee_fsp, q.expires_at,
  q.payer_version, q.request_event_id, q.state, q.reason, q.error, q.outcome_event_id,
  q.outcome_hash, q.valid_until`

export function bulkOf(row: BulkRow): BulkQuote {
  const claimed = claimedOf(row)
  const { state } = row
  const payeeFsp = row.payee_fsp ?? undefined
  switch (state) {
    case 'PENDING':
    case 'EXPIRED':
      return { ...claimed, state, payeeFsp: present(row, payeeFsp) }
    case 'ACCEPTED':
      return {
        ...claimed,
        state,
        payeeFsp: present(row, payeeFsp),
        outcome: present(row, outcomeOf(row)),
        validUntil: present(row, row.valid_until).toISOString(),
      }
    case 'REJECTED':
      return {
        ...claimed,
        state,
        payeeFsp,
        reason: present(row, row.reason),
        error: JSON.parse(present(row, row.error)) as ErrorInformation,
        outcome: outcomeOf(row),
      }
  }
}

function claimedOf(row: BulkRow): ClaimedBulk {
  return {
    bulkQuoteId: row.id,
    payerFsp: row.payer_fsp,
    expiresAt: row.expires_at.toISOString(),
    requestHash: row.request_hash.toString('base64url'),
    payerVersion: row.payer_version,
    requestEventId: row.request_event_id,
  }
}

function outcomeOf({ outcome_event_id, outcome_hash }: BulkRow): EndingMessage | undefined {
  return outcome_event_id === null || outcome_hash === null
    ? undefined
    : { eventId: outcome_event_id, hash: outcome_hash.toString('base64url') }
}

/** A constraint of the table guarantees the value. */
function present<T>({ id, state }: BulkRow, value: T | null | undefined): T {
  if (value === null || value === undefined)
    throw new Error(`${id} is ${state} without a required column`)
  return value
}

/** reason, error, outcome_event_id, outcome_hash, valid_until */
export function endValues(
  bulk: EndedBulk | { readonly state: 'PENDING' },
): readonly (string | Buffer | null)[] {
  const outcome = bulk.state === 'PENDING' ? undefined : bulk.outcome
  const rejected = bulk.state === 'REJECTED' ? bulk : undefined
  return [
    rejected?.reason ?? null,
    rejected === undefined ? null : JSON.stringify(rejected.error),
    outcome?.eventId ?? null,
    outcome === undefined ? null : hashBytes(outcome.hash),
    bulk.state === 'ACCEPTED' ? bulk.validUntil : null,
  ]
}
