/** The line that settlements stores for each final transfer, and one more for its fee. */
import type { DomainEvent, ErrorInformation } from '@causeway/events'
import { parseAmount } from '@causeway/money'
import type { TransferRowKind, TransferRowState } from '@causeway/protos'

export interface Line {
  /** 0: aborted, or settled at once. */
  readonly windowId: number
  readonly transferId: string
  /** FEE: the interchange fee of the transfer. */
  readonly kind: TransferRowKind
  readonly state: TransferRowState
  /** Why it was aborted, as reported to the payer FSP. */
  readonly reason: string
  readonly payerFsp: string
  readonly payeeFsp: string
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
  /** The model and the accounts of what was committed. */
  readonly modelId: number | null
  readonly payerAccountId: number | null
  readonly payeeAccountId: number | null
  /** The FSP's clock, as received. */
  readonly completedTimestamp: string
  /** The hub's clock, ISO 8601 UTC. */
  readonly finalisedAt: string
  readonly isBulkItem: boolean
  /** From the receipt of the request to the end, by the hub's clocks; null for fees. */
  readonly duration_ms: number | null
}

export const finalEvents = [
  'TransferCommittedFulfiled',
  'TransferRejectRequestProcessed',
  'TransferPrepareRequestTimedout',
  'TransferFulfilComitRequestTimedout',
  'TransferPrepareLiquidityCheckFailed',
  'TransferPrepareInvalidPayerCheckFailed',
  'TransferPrepareInvalidPayeeCheckFailed',
  'TransferPrepareDuplicateCheckFailed',
  'BulkTransferItemsEnded',
] as const

export type FinalEvent = DomainEvent<(typeof finalEvents)[number]>
type Committed = DomainEvent<'TransferCommittedFulfiled'>

/**
 * One line for each transfer that ended; none if the refused request reused the id of another
 * transfer.
 */
export function linesOf(event: FinalEvent): readonly Line[] {
  if (event.name === 'BulkTransferItemsEnded') {
    return event.payload.items.map((item) => itemLine(event.payload, item))
  }
  if (event.name === 'TransferCommittedFulfiled') return [committedLine(event.payload)]
  const line = abortedLine(event.payload)
  return line === undefined ? [] : [line]
}

type EndedItems = DomainEvent<'BulkTransferItemsEnded'>['payload']

function itemLine(
  { payerFsp, payeeFsp, receivedAt, endedAt }: EndedItems,
  {
    transferId,
    amount,
    completedTimestamp,
    committed,
    errorInformation,
  }: EndedItems['items'][number],
): Line {
  return {
    windowId: committed?.settlementWindowId ?? 0,
    transferId,
    kind: 'TRANSFER',
    state: committed === undefined ? 'ABORTED' : 'COMMITTED',
    reason: errorInformation === undefined ? '' : reasonOf(errorInformation),
    payerFsp,
    payeeFsp,
    amount: amountIn(transferId, amount),
    currency: amount.currency,
    modelId: committed?.settlementModelId ?? null,
    payerAccountId: committed?.payerAccountId ?? null,
    payeeAccountId: committed?.payeeAccountId ?? null,
    completedTimestamp,
    finalisedAt: endedAt,
    isBulkItem: true,
    duration_ms: durationOf(receivedAt, endedAt),
  }
}

/** So that the duration fits into an integer of PostgreSQL, also when it is rounded up. */
const duration_ms_max = 2_147_000_000

/** Clocks of processes differ: at least 0. */
function durationOf(receivedAt: string, endedAt: string): number | null {
  const duration_ms = Date.parse(endedAt) - Date.parse(receivedAt)
  return Number.isNaN(duration_ms) ? null : Math.min(Math.max(duration_ms, 0), duration_ms_max)
}

function reasonOf({ errorCode, errorDescription }: ErrorInformation): string {
  return `${errorCode}: ${errorDescription}`
}

type Aborted = Exclude<FinalEvent, Committed | DomainEvent<'BulkTransferItemsEnded'>>

function abortedLine({
  transferId,
  errorInformation,
  ending,
}: Aborted['payload']): Line | undefined {
  if (ending === undefined) return undefined
  return {
    windowId: 0,
    transferId,
    kind: 'TRANSFER',
    state: 'ABORTED',
    reason: reasonOf(errorInformation),
    payerFsp: ending.payerFsp,
    payeeFsp: ending.payeeFsp,
    amount: amountIn(transferId, ending.amount),
    currency: ending.amount.currency,
    modelId: null,
    payerAccountId: null,
    payeeAccountId: null,
    completedTimestamp: ending.completedTimestamp,
    finalisedAt: ending.endedAt,
    isBulkItem: false,
    duration_ms: durationOf(ending.receivedAt, ending.endedAt),
  }
}

function committedLine(payload: Committed['payload']): Line {
  const { transferId, payerFsp, payeeFsp, positions } = payload
  const accountOf = (fsp: string) =>
    positions.find(({ participantId }) => participantId === fsp)?.accountId ?? null
  return {
    windowId: payload.settlementWindowId ?? 0,
    transferId,
    kind: 'TRANSFER',
    state: 'COMMITTED',
    reason: '',
    payerFsp,
    payeeFsp,
    amount: amountIn(transferId, payload.amount),
    currency: payload.amount.currency,
    modelId: payload.settlementModelId,
    payerAccountId: accountOf(payerFsp),
    payeeAccountId: accountOf(payeeFsp),
    completedTimestamp: payload.completedTimestamp,
    finalisedAt: payload.fulfiledAt,
    isBulkItem: false,
    duration_ms: durationOf(payload.receivedAt, payload.fulfiledAt),
  }
}

function amountIn(transferId: string, { amount }: { readonly amount: string }): bigint {
  const units = parseAmount(amount)
  if (units === undefined) throw new Error(`${transferId} has no amount: ${amount}`)
  return units
}
