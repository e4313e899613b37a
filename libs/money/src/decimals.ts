/**
 * How fine amounts may be. FSPIOP allows four decimals in every currency; a scheme may bound them to
 * those of the currency. The same bound holds wherever an amount enters, so that what is paid can be
 * deposited and withdrawn.
 */
import { UNITS_PER_ONE } from './amount.ts'

/** Decimals by currency; a currency without an entry has four. */
export type DecimalBounds = ReadonlyMap<string, number>

/**
 * The decimals that an amount in ten-thousandths may have at most, if it has more; `undefined` for an
 * amount that may be used, and for every amount where there are no bounds.
 */
export function exceededDecimals(
  bounds: DecimalBounds | undefined,
  currency: string,
  units: bigint,
): number | undefined {
  const decimals = bounds?.get(currency)
  if (decimals === undefined) return undefined
  return (units * 10n ** BigInt(decimals)) % UNITS_PER_ONE === 0n ? undefined : decimals
}
