/** What the scheme uses of the world's currencies: new accounts and limits are measured by it. */
import { refuse } from '@causeway/services'
import { decimalsFault } from '@causeway/ledger/domain'
import type { DecimalBounds } from '@causeway/money'
import type { RefusedChange } from '../../domain/refusal.ts'

/** Whether the scheme uses the currency. */
export type IsUsed = (currency: string) => boolean

/** Accounts that exist stay usable when the scheme no longer lists their currency. */
export function currencyUseFault(isUsed: IsUsed, currency: string): RefusedChange | undefined {
  return isUsed(currency)
    ? undefined
    : refuse('CURRENCY_NOT_USED', `the scheme does not use ${currency}`)
}

/** The first limit that is finer than its currency. */
export function limitsFault(
  bounds: DecimalBounds | undefined,
  accounts: readonly { readonly currency: string; readonly limit: bigint | null }[],
): RefusedChange | undefined {
  return accounts
    .map(({ currency, limit }) => decimalsFault(bounds, currency, limit ?? 0n))
    .find((fault) => fault !== undefined)
}
