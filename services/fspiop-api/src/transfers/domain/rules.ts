/** The rules for messages on /transfers that need no stored state, checked at the edge. FSPIOP 6.7. */
import { isCondition } from '@causeway/fspiop'
import { parseAmount } from '@causeway/money'

export interface PrepareFacts {
  readonly source: string
  /** Undefined: not named, so not compared. */
  readonly destination: string | undefined
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly amount: string
  readonly condition: string
}

export type PrepareReason =
  | 'SOURCE_NOT_PAYER'
  | 'DESTINATION_NOT_PAYEE'
  | 'PAYER_IS_PAYEE'
  | 'AMOUNT_ZERO'
  | 'CONDITION_NOT_32_BYTES'

/** The first reason to refuse it, or undefined. */
export function reasonAgainstPrepare(
  facts: PrepareFacts,
  { onUsAllowed }: { readonly onUsAllowed: boolean },
): PrepareReason | undefined {
  const { source, destination, payerFsp, payeeFsp, amount, condition } = facts
  if (source !== payerFsp) return 'SOURCE_NOT_PAYER'
  if (destination !== undefined && destination !== payeeFsp) return 'DESTINATION_NOT_PAYEE'
  if (payerFsp === payeeFsp && !onUsAllowed) return 'PAYER_IS_PAYEE'
  if (parseAmount(amount) === 0n) return 'AMOUNT_ZERO'
  return isCondition(condition) ? undefined : 'CONDITION_NOT_32_BYTES'
}

export interface FulfilFacts {
  readonly transferState: 'COMMITTED' | 'RESERVED'
  readonly version: string
  readonly completedTimestamp: string | undefined
  readonly receivedAt: string
}

/** The allowed distance of completedTimestamp from the hub's clock; undefined: not checked. */
export type TimestampBounds =
  | { readonly ahead_ms_max: number; readonly behind_ms_max: number }
  | undefined

export type FulfilReason = 'RESERVED_IN_VERSION_1_0' | 'COMPLETED_TIMESTAMP_OUT_OF_BOUNDS'

/** The first reason to refuse it, or undefined. */
export function reasonAgainstFulfil(
  { transferState, version, completedTimestamp, receivedAt }: FulfilFacts,
  bounds: TimestampBounds,
): FulfilReason | undefined {
  if (transferState === 'RESERVED' && version === '1.0') return 'RESERVED_IN_VERSION_1_0'
  return isOutOfBounds(completedTimestamp, receivedAt, bounds)
    ? 'COMPLETED_TIMESTAMP_OUT_OF_BOUNDS'
    : undefined
}

/** Whether the payee FSP's time of the end is too far from that of the receipt; both ISO 8601. */
export function isOutOfBounds(
  completedTimestamp: string | undefined,
  receivedAt: string,
  bounds: TimestampBounds,
): boolean {
  if (bounds === undefined || completedTimestamp === undefined) return false
  const ahead_ms = Date.parse(completedTimestamp) - Date.parse(receivedAt)
  return ahead_ms > bounds.ahead_ms_max || -ahead_ms > bounds.behind_ms_max
}
