/** The rules for PUT /transfers/{ID} that need no stored state, checked at the edge. FSPIOP 6.7.3. */

export interface FulfilFacts {
  readonly transferState: 'COMMITTED' | 'RESERVED'
  readonly version: string
  readonly completed_ms: number | undefined
  readonly received_ms: number
}

/** The allowed distance of completedTimestamp from the hub's clock; undefined: not checked. */
export type TimestampBounds =
  | { readonly ahead_ms_max: number; readonly behind_ms_max: number }
  | undefined

export type FulfilReason = 'RESERVED_IN_VERSION_1_0' | 'COMPLETED_TIMESTAMP_OUT_OF_BOUNDS'

/** The first reason to refuse it, or undefined. */
export function reasonAgainstFulfil(
  { transferState, version, completed_ms, received_ms }: FulfilFacts,
  bounds: TimestampBounds,
): FulfilReason | undefined {
  if (transferState === 'RESERVED' && version === '1.0') return 'RESERVED_IN_VERSION_1_0'
  if (bounds === undefined || completed_ms === undefined) return undefined
  const ahead_ms = completed_ms - received_ms
  return ahead_ms > bounds.ahead_ms_max || -ahead_ms > bounds.behind_ms_max
    ? 'COMPLETED_TIMESTAMP_OUT_OF_BOUNDS'
    : undefined
}
