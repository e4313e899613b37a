/** A stored bulk as a value of the domain. */
import type { ErrorInformation } from '@causeway/fspiop'
import type { BulkTransferState } from '@causeway/protos'
import type { Bulk, CommonReason } from './domain/bulk.ts'

export interface BulkRow {
  readonly id: string
  readonly request_hash: Buffer
  readonly bulk_quote_id: string
  readonly payer_fsp: string
  readonly payee_fsp: string
  readonly expires_at: Date
  readonly payer_version: string
  readonly prepare_event_id: string
  readonly received_at: Date
  /** One blank between two of them. */
  readonly transfer_ids: string
  readonly undecided_count: number
  readonly open_count: number
  readonly committed_count: number
  readonly state: BulkTransferState
  /** One blank between two of them. */
  readonly left_out: string | null
  readonly answer_event_id: string | null
  readonly answer_hash: Buffer | null
  readonly answer_refuses: boolean | null
  readonly answer_error: string | null
  readonly payee_version: string | null
  readonly reason: CommonReason | null
  readonly completed_at: Date | null
}

/** The columns of a `BulkRow`; the table goes by the name b. */
export const bulkColumns = `b.id, b.request_hash, b.bulk_quote_id, b.payer_fsp, b.payee_fsp,
  b.expires_at, b.payer_version, b.prepare_event_id, b.received_at,
  array_to_string(b.transfer_ids, ' ') as transfer_ids, b.undecided_count, b.open_count,
  b.committed_count, b.state, array_to_string(b.left_out, ' ') as left_out, b.answer_event_id,
  b.answer_hash, b.answer_refuses, b.answer_error, b.payee_version, b.reason, b.completed_at`

export function bulkOf(row: BulkRow): Bulk {
  const transferIds = row.transfer_ids.split(' ')
  return {
    bulkTransferId: row.id,
    bulkQuoteId: row.bulk_quote_id,
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    expiresAt: row.expires_at.toISOString(),
    requestHash: row.request_hash.toString('base64url'),
    payerVersion: row.payer_version,
    prepareEventId: row.prepare_event_id,
    receivedAt: row.received_at.toISOString(),
    transferIds,
    counts: {
      items: transferIds.length,
      undecided: row.undecided_count,
      open: row.open_count,
      committed: row.committed_count,
    },
    state: row.state,
    leftOut: row.left_out === null ? undefined : positionsIn(row.left_out),
    lastWord: lastWordOf(row),
    end:
      row.completed_at === null || (row.state !== 'COMPLETED' && row.state !== 'REJECTED')
        ? undefined
        : {
            state: row.state,
            completedTimestamp: row.completed_at.toISOString(),
            reason: row.reason ?? undefined,
          },
  }
}

function positionsIn(text: string): readonly number[] {
  return text === '' ? [] : text.split(' ').map(Number)
}

function lastWordOf(row: BulkRow): Bulk['lastWord'] {
  const { answer_event_id, answer_hash, answer_refuses, answer_error, payee_version } = row
  if (answer_event_id === null || answer_hash === null || payee_version === null) return undefined
  return {
    eventId: answer_event_id,
    hash: answer_hash.toString('base64url'),
    version: payee_version,
    refuses: answer_refuses === true,
    error: answer_error === null ? undefined : (JSON.parse(answer_error) as ErrorInformation),
  }
}
