/**
 * The arithmetic of a quote, exact to four decimals. FSPs use it: the hub relays quotes and computes
 * none. FSPIOP 5.1.
 */
import { formatAmount, parseAmount } from '@causeway/money'
import type { Money } from './bodies/complex.ts'
import type { AmountType } from './bodies/enumerations.ts'

interface Amount {
  readonly currency: string
  readonly amount: string
}

export interface QuoteTerms {
  readonly amountType: AmountType
  readonly amount: Amount
  /** The payer FSP's fees; only in a quote that discloses them. */
  readonly fees?: Amount | undefined
  readonly payeeFspFee?: Amount | undefined
  readonly payeeFspCommission?: Amount | undefined
}

/**
 * The amount of the transfer between the FSPs. RECEIVE: amount + payeeFspFee − payeeFspCommission. SEND
 * without fees: amount − commission. SEND with fees: amount − max(fees − commission, 0). `undefined`
 * when the terms are in several currencies, or the result is negative or has more than 18 digits.
 */
export function transferAmountOf(terms: QuoteTerms): Money | undefined {
  const { currency } = terms.amount
  const amount = unitsIn(currency, terms.amount)
  const fees = unitsIn(currency, terms.fees)
  const payeeFee = unitsIn(currency, terms.payeeFspFee)
  const commission = unitsIn(currency, terms.payeeFspCommission)
  if (amount === undefined || fees === undefined) return undefined
  if (payeeFee === undefined || commission === undefined) return undefined
  if (terms.amountType === 'RECEIVE') return moneyOf(currency, amount + payeeFee - commission)
  if (terms.fees === undefined) return moneyOf(currency, amount - commission)
  return moneyOf(currency, fees > commission ? amount - (fees - commission) : amount)
}

/**
 * The amount for the payee: transfer amount − payeeFspFee + payeeFspCommission. `undefined` as above.
 */
export function payeeReceiveAmountOf(
  transferAmount: Amount,
  payeeFspFee?: Amount,
  payeeFspCommission?: Amount,
): Money | undefined {
  const { currency } = transferAmount
  const amount = unitsIn(currency, transferAmount)
  const fee = unitsIn(currency, payeeFspFee)
  const commission = unitsIn(currency, payeeFspCommission)
  if (amount === undefined || fee === undefined || commission === undefined) return undefined
  return moneyOf(currency, amount - fee + commission)
}

/** 0 when absent; `undefined` when in another currency. */
function unitsIn(currency: string, money: Amount | undefined): bigint | undefined {
  if (money === undefined) return 0n
  return money.currency === currency ? parseAmount(money.amount) : undefined
}

function moneyOf(currency: string, units: bigint): Money | undefined {
  const amount = formatAmount(units)
  return parseAmount(amount) === undefined ? undefined : { currency, amount }
}
