/**
 * A movement: each step moves one amount from one account to another, so every step, and any sum of
 * steps, is balanced.
 */

/**
 * RESERVE makes the amount pending, POST turns pending into posted, VOID releases it; the other
 * steps post at once. The two GROSS steps belong to the post of a transfer that is settled at once.
 * FEE_RESERVE and FEE_VOID do for the fee of a transfer what RESERVE and VOID do for its amount.
 */
export type Step =
  | 'RESERVE'
  | 'POST'
  | 'VOID'
  | 'MOVE'
  | 'GROSS_PAYER'
  | 'GROSS_PAYEE'
  | 'FEE_RESERVE'
  | 'FEE_VOID'

export interface Movement {
  readonly step: Step
  readonly debitAccountId: number
  readonly creditAccountId: number
  readonly amount: bigint
}
