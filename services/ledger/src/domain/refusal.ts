/** Why a command of an operator is refused, about participants, funds, cover and alarms. */
import { exceededDecimals, type DecimalBounds } from '@causeway/money'
import { refuse, type RefusedBy } from '@causeway/services'

export type RefusedChange = RefusedBy<'participant-lifecycle'>

/** Of an amount that is finer than its currency; undefined: it may be used. */
export function decimalsFault(
  bounds: DecimalBounds | undefined,
  currency: string,
  units: bigint,
): RefusedChange | undefined {
  const decimals = exceededDecimals(bounds, currency, units)
  return decimals === undefined
    ? undefined
    : refuse('DECIMALS_TOO_MANY', `amounts in ${currency} have at most ${decimals} decimals`)
}
