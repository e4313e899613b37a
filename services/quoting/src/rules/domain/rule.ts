/**
 * The rules of a scheme for quotes. A rule that names a currency, an FSP or a scenario applies only
 * to quotes with it; without one it applies to all.
 */
export type Rule = CurrencyRule | AmountRule | VelocityRule | FeeRule | ValidityRule

/** Only these currencies may be quoted. */
export interface CurrencyRule {
  readonly type: 'CURRENCY'
  readonly id: string
  readonly currencies: readonly string[]
}

/** Inclusive limits of the requested amount, in ten-thousandths. */
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

/** A day: the longest supported window. */
export const windowMinutes_max = 1_440

/** Limits of the payments of a payer FSP within a sliding window, including the quoted payment. */
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

/**
 * Limits of the payee FSP's fee and commission: in ten-thousandths, or relative to the transfer
 * amount.
 */
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

/** Minimum and maximum validity of an answer, counted from its receipt. */
export interface ValidityRule {
  readonly type: 'VALIDITY'
  readonly id: string
  readonly min_ms: number | undefined
  readonly max_ms: number | undefined
}

/** The first rule that a quote breaks. */
export interface Violation {
  readonly ruleId: string
  /** TRANSFER_CURRENCY is not a scheme rule: the hub applies it to every answer. */
  readonly type: Rule['type'] | 'TRANSFER_CURRENCY'
  readonly detail: string
}

export interface Money {
  readonly currency: string
  /** Ten-thousandths. */
  readonly amount: bigint
}
