/** What the scheme uses of the world's currencies: new accounts and amounts are measured by it. */
import { refuse, type Refused } from '@causeway/ledger/domain'

/** The decimals of a currency; undefined: the scheme does not use it. */
export type DecimalsOf = (currency: string) => number | undefined

/** Accounts that exist stay usable when the scheme no longer lists their currency. */
export function currencyUseFault(decimalsOf: DecimalsOf, currency: string): Refused | undefined {
  return decimalsOf(currency) === undefined
    ? refuse('CURRENCY_NOT_USED', `the scheme does not use ${currency}`)
    : undefined
}

/** @param amount a canonical decimal, without needless zeros: `10.5` */
export function decimalsFault(
  decimalsOf: DecimalsOf,
  currency: string,
  amount: string,
): Refused | undefined {
  const decimals = decimalsOf(currency)
  const [, fraction = ''] = amount.split('.')
  return decimals !== undefined && fraction.length > decimals
    ? refuse('DECIMALS_TOO_MANY', `amounts in ${currency} have at most ${decimals} decimals`)
    : undefined
}
