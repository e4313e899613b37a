/** The rules for POST /transfers that need no stored state, checked at the edge. FSPIOP 6.7.2. */
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
