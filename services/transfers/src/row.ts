/** A stored row as a value of the domain, and back. */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'
import type { AbortReason, SettlementKind, TransferState } from '@causeway/protos'
import type { Claimed, TransferEnd, Final, Open, Transfer } from './domain/transfer.ts'

export interface TransferRow {
  readonly id: string
  readonly request_hash: Buffer
  readonly payer_fsp: string
  readonly payee_fsp: string
  readonly amount: string
  readonly currency: string
  readonly expires_at: Date
  readonly condition: string
  readonly settlement_model_id: number | null
  readonly settles: SettlementKind | null
  readonly payer_version: string
  readonly prepare_event_id: string
  readonly received_at: Date
  readonly bulk_id: string | null
  readonly state: TransferState
  readonly reason: AbortReason | null
  readonly error: string | null
  readonly fulfilment: string | null
  readonly completed_timestamp: string | null
  readonly outcome_event_id: string | null
  readonly outcome_hash: Buffer | null
  readonly payee_version: string | null
  readonly extension_list: string | null
}

/** The columns of a `TransferRow`; the table goes by the name t. */
export const columns = `t.id, t.request_hash, t.payer_fsp, t.payee_fsp, t.amount, t.currency,
  t.expires_at, t.condition, t.settlement_model_id, t.settles, t.payer_version, t.prepare_event_id,
  t.received_at, t.bulk_id, t.state, t.reason, t.error, t.fulfilment, t.completed_timestamp, t.outcome_event_id,
  t.outcome_hash, t.payee_version, t.extension_list`

export function transferOf(row: TransferRow): Transfer {
  const claimed = claimedOf(row)
  switch (row.state) {
    case 'RECEIVED':
    case 'RESERVED':
      return { ...claimed, state: row.state }
    case 'COMMITTED':
      return {
        ...claimed,
        state: 'COMMITTED',
        fulfilment: present(row.fulfilment, row),
        ...endingOf(row),
      }
    case 'ABORTED':
      return {
        ...claimed,
        state: 'ABORTED',
        reason: present(row.reason, row),
        error: JSON.parse(present(row.error, row)) as ErrorInformation,
        ...endingOf(row),
      }
  }
}

function claimedOf(row: TransferRow): Claimed {
  return {
    transferId: row.id,
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    amount: BigInt(row.amount),
    currency: row.currency,
    expiresAt: row.expires_at.toISOString(),
    condition: row.condition,
    requestHash: row.request_hash.toString('base64url'),
    allocation:
      row.settlement_model_id === null || row.settles === null
        ? undefined
        : { settlementModelId: row.settlement_model_id, settles: row.settles },
    payerVersion: row.payer_version,
    prepareEventId: row.prepare_event_id,
    receivedAt: row.received_at.toISOString(),
    bulkTransferId: row.bulk_id ?? undefined,
  }
}

function endingOf(row: TransferRow): TransferEnd {
  return {
    completedTimestamp: present(row.completed_timestamp, row),
    outcomeEventId: row.outcome_event_id ?? undefined,
    outcomeHash: row.outcome_hash?.toString('base64url'),
    payeeVersion: row.payee_version ?? undefined,
    extensionList:
      row.extension_list === null ? undefined : (JSON.parse(row.extension_list) as ExtensionList),
  }
}

/** The constraints of the table enforce this, too. */
function present<T>(value: T | null, { id, state }: TransferRow): T {
  if (value === null) throw new Error(`the row of ${id} lacks what ${state} needs`)
  return value
}

/** What a row holds of its end; all null while it is open. */
export interface FinalColumns {
  readonly reason: AbortReason | null
  readonly error: string | null
  readonly fulfilment: string | null
  readonly completedTimestamp: string | null
  readonly outcomeEventId: string | null
  readonly outcomeHash: Buffer | null
  readonly payeeVersion: string | null
  readonly extensionList: string | null
}

const open: FinalColumns = {
  reason: null,
  error: null,
  fulfilment: null,
  completedTimestamp: null,
  outcomeEventId: null,
  outcomeHash: null,
  payeeVersion: null,
  extensionList: null,
}

export function finalColumns(transfer: Open | Final): FinalColumns {
  switch (transfer.state) {
    case 'RECEIVED':
    case 'RESERVED':
      return open
    case 'COMMITTED':
      return { ...open, fulfilment: transfer.fulfilment, ...ended(transfer) }
    case 'ABORTED': {
      const { reason, error } = transfer
      return { ...open, reason, error: JSON.stringify(error), ...ended(transfer) }
    }
  }
}

function ended(end: Final) {
  return {
    completedTimestamp: end.completedTimestamp,
    outcomeEventId: end.outcomeEventId ?? null,
    outcomeHash: end.outcomeHash === undefined ? null : hashBytes(end.outcomeHash),
    payeeVersion: end.payeeVersion ?? null,
    extensionList: end.extensionList === undefined ? null : JSON.stringify(end.extensionList),
  }
}

/** base64url to bytes. */
export function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'base64url')
}
