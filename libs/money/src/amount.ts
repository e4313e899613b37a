/**
 * Amounts are exact: a `bigint` of ten-thousandths from the first character read to the last one
 * written. Money is never held in a JavaScript `number`.
 */

/** Ten-thousandths in one unit of a currency: FSPIOP amounts have at most four decimals. */
export const UNITS_PER_ONE = 10_000n

const decimals_max = 4
const amountPattern = /^(?:0|[1-9]\d{0,17})(?:\.\d{0,3}[1-9])?$/
const decimalPattern = /^-?(?:0|[1-9]\d{0,35})(?:\.\d{0,3}[1-9])?$/
const inputPattern = /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,4})?$/
/** A double distinguishes all decimal numbers of up to 15 significant digits, and no more. */
const doubleDigits_max = 15
const minorUnits_max = 2n ** 64n - 1n

/**
 * The ten-thousandths of an amount as FSPIOP writes it: 1 to 18 digits, at most four decimals, no
 * trailing zero, no sign; `undefined` for every other text. FSPIOP 7.2.13 (Amount).
 */
export function parseAmount(text: string): bigint | undefined {
  return amountPattern.test(text) ? unitsOf(text) : undefined
}

/**
 * The ten-thousandths of a decimal as `formatAmount` prints it, which may be negative and, being a
 * sum, longer than an amount (36 digits); `undefined` for every other text, also for "-0".
 */
export function parseDecimal(text: string): bigint | undefined {
  return decimalPattern.test(text) && text !== '-0' ? unitsOf(text) : undefined
}

/**
 * The ten-thousandths of an amount in an administration request: a JSON number or a numeric string,
 * either sign, at most 18 digits and four decimals (a string may end in zeros). A number is
 * accepted only if it is exact: its shortest decimal form, of at most 15 significant digits.
 */
export function amountFromJson(value: unknown): bigint | undefined {
  if (typeof value === 'string') return inputPattern.test(value) ? unitsOf(value) : undefined
  if (typeof value !== 'number') return undefined
  const text = String(value)
  if (!inputPattern.test(text) || significantDigits(text) > doubleDigits_max) return undefined
  return unitsOf(text)
}

/** A decimal with neither exponent nor trailing zero: 10500n is "1.05", -5n is "-0.0005". */
export function formatAmount(units: bigint): string {
  const sign = units < 0n ? '-' : ''
  const size = units < 0n ? -units : units
  const fraction = size % UNITS_PER_ONE
  const whole = String(size / UNITS_PER_ONE)
  if (fraction === 0n) return sign + whole
  const places = String(fraction)
    .padStart(decimals_max, '0')
    .replace(/(?<!0)0+$/, '')
  return `${sign}${whole}.${places}`
}

/**
 * The text of a JSON number, to be put into a body as it is. It never goes through `number`, so all
 * its digits are there; the precision that survives depends on the receiver.
 */
export function jsonNumber(units: bigint): string {
  return formatAmount(units)
}

/**
 * The integer that an ILP packet carries: units of the currency's smallest coin. `undefined` when
 * the amount is negative, has more decimals than the currency, or does not fit 64 bits.
 */
export function minorUnits(units: bigint, exponent: number): bigint | undefined {
  if (units < 0n) return undefined
  const scaled = units * 10n ** BigInt(exponent)
  const minor = scaled / UNITS_PER_ONE
  return scaled % UNITS_PER_ONE === 0n && minor <= minorUnits_max ? minor : undefined
}

/** Expects a validated text: an optional sign, digits, at most four decimals. */
function unitsOf(text: string): bigint {
  const point = text.indexOf('.')
  if (point < 0) return BigInt(text) * UNITS_PER_ONE
  const places = text.length - point - 1
  return BigInt(text.slice(0, point) + text.slice(point + 1) + '0'.repeat(decimals_max - places))
}

function significantDigits(text: string): number {
  return text.replace(/[-.]/g, '').replace(/^0+/, '').length
}
