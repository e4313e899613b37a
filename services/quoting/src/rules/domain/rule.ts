/**
 * What a scheme may demand of quotes. A rule that names a currency, an FSP or a scenario speaks of
 * quotes with exactly that; what it leaves open it says of all.
 */
export type Rule = CurrencyRule | AmountRule | VelocityRule | FeeRule | ValidityRule

/** Only these currencies may be quoted. */
export interface CurrencyRule {
  readonly type: 'CURRENCY'
  readonly id: string
  readonly currencies: readonly string[]
}

/** Bounds of the amount that a request names, in ten-thousandths, themselves allowed. */
export interface AmountRule {
  readonly type: 'AMOUNT'
  readonly id: string
  readonly currency: string
  readonly min: bigint | undefined
  readonly max: bigint | undefined
  readonly payerFsp: string | undefined
  readonly payeeFsp: string | undefined
  readonly scenario: string | undefined
}

/** A day: the longest window that is counted. */
export const windowMinutes_max = 1_440

/** What a payer FSP may have paid within a sliding window, the quoted payment included. */
export interface VelocityRule {
  readonly type: 'VELOCITY'
  readonly id: string
  readonly currency: string
  readonly windowMinutes: number
  readonly maxCount: bigint | undefined
  /** Ten-thousandths. */
  readonly maxAmount: bigint | undefined
  readonly payerFsp: string | undefined
}

/** Bounds of what a payee FSP takes or gives: in ten-thousandths, or of the transfer amount. */
export interface FeeRule {
  readonly type: 'FEE'
  readonly id: string
  readonly currency: string
  readonly payeeFsp: string | undefined
  readonly maxFee: bigint | undefined
  /** Ten-thousandths of a percent. */
  readonly maxFeePercent: bigint | undefined
  readonly maxCommission: bigint | undefined
  readonly maxCommissionPercent: bigint | undefined
}

/** For how long an answer must and may be valid from the moment it came. */
export interface ValidityRule {
  readonly type: 'VALIDITY'
  readonly id: string
  readonly min_ms: number | undefined
  readonly max_ms: number | undefined
}

/** What is wrong with a quote by the rules: the first of them that it breaks. */
export interface Violation {
  readonly ruleId: string
  /** TRANSFER_CURRENCY is no rule of a scheme: the hub demands it of every answer. */
  readonly type: Rule['type'] | 'TRANSFER_CURRENCY'
  readonly detail: string
}

export interface Money {
  readonly currency: string
  /** Ten-thousandths. */
  readonly amount: bigint
}
