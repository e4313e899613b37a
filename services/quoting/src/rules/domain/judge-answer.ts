/** Decides whether the scheme allows a payee FSP's answer. */
import type { FeeRule, Money, Rule, ValidityRule, Violation } from './rule.ts'

/** The part of an answer that rules check. */
export interface AnswerFacts {
  readonly payeeFsp: string
  /** The currency of the request. */
  readonly currency: string
  readonly transferAmount: Money
  readonly fee: Money | undefined
  readonly commission: Money | undefined
  /** How long the answer is valid, counted from its receipt. */
  readonly validity_ms: number
}

const transferCurrencyRule = 'transfer-currency'

/** 100 percent in ten-thousandths of a percent. */
const whole = 1_000_000n

/**
 * The first rule that the answer breaks; before all rules, it must be in the requested currency.
 */
export function judgeAnswer(rules: readonly Rule[], answer: AnswerFacts): Violation | undefined {
  if (answer.transferAmount.currency !== answer.currency) {
    const detail = `transferAmount is not in ${answer.currency}`
    return { ruleId: transferCurrencyRule, type: 'TRANSFER_CURRENCY', detail }
  }
  for (const rule of rules) {
    const detail = faultOf(rule, answer)
    if (detail !== undefined) return { ruleId: rule.id, type: rule.type, detail }
  }
  return undefined
}

function faultOf(rule: Rule, answer: AnswerFacts): string | undefined {
  switch (rule.type) {
    case 'FEE':
      return speaksOf(rule, answer) ? feeFault(rule, answer) : undefined
    case 'VALIDITY':
      return validityFault(rule, answer)
    case 'CURRENCY':
    case 'AMOUNT':
    case 'VELOCITY':
      return undefined
  }
}

function speaksOf(rule: FeeRule, { payeeFsp, currency }: AnswerFacts): boolean {
  return rule.currency === currency && (rule.payeeFsp ?? payeeFsp) === payeeFsp
}

function feeFault(rule: FeeRule, { fee, commission, transferAmount }: AnswerFacts) {
  const { maxFee, maxFeePercent, maxCommission, maxCommissionPercent } = rule
  if (exceeds(fee, transferAmount, maxFee, maxFeePercent)) return 'payeeFspFee is too large'
  return exceeds(commission, transferAmount, maxCommission, maxCommissionPercent)
    ? 'payeeFspCommission is too large'
    : undefined
}

/** A fee in another currency cannot be compared with a limit, so it exceeds it. */
function exceeds(
  fee: Money | undefined,
  transferAmount: Money,
  max: bigint | undefined,
  percent_max: bigint | undefined,
): boolean {
  if (fee === undefined || (max === undefined && percent_max === undefined)) return false
  if (fee.currency !== transferAmount.currency) return true
  return (
    (max !== undefined && fee.amount > max) ||
    (percent_max !== undefined && fee.amount * whole > transferAmount.amount * percent_max)
  )
}

function validityFault({ min_ms, max_ms }: ValidityRule, { validity_ms }: AnswerFacts) {
  if (min_ms !== undefined && validity_ms < min_ms) return 'the answer expires too soon'
  if (max_ms !== undefined && validity_ms > max_ms) return 'the answer expires too late'
  return undefined
}
