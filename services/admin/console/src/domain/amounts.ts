/**
 * Formats amounts with the digits that the API sent. Floating-point numbers are used for the length
 * of a bar, never for a figure.
 */
import { currencyExponent } from '@causeway/money'

/** A JSON number that a double would change is read as text. */
export type Amount = number | string

const thousands = '\u202f'

/**
 * Separates thousands and keeps sign and all digits. With a currency the result has at least the
 * decimals of that currency, and more when the amount has more.
 */
export function shownAmount(amount: Amount, currency = ''): string {
  const [, sign = '', whole = '', decimals = ''] =
    /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount)) ?? []
  // The API never sends this; shown unchanged rather than not at all.
  if (whole === '') return String(amount)
  const padded = decimals.padEnd(currencyExponent(currency) ?? 0, '0')
  return [sign === '-' ? '−' : '', inThousands(whole), padded === '' ? '' : `.${padded}`].join('')
}

function inThousands(digits: string): string {
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= 3)
    groups.unshift(digits.slice(Math.max(end - 3, 0), end))
  return groups.join(thousands)
}

export function isNegative(amount: Amount): boolean {
  return String(amount).startsWith('-')
}

/** The amounts that the ledger checks a payment against, from the API. */
export interface Cover {
  readonly position: Amount
  readonly reserved: Amount
  /** null before the first limit. */
  readonly netDebitCap: Amount | null
  readonly liquidity: Amount
  /** The part of the cover that payments may not use. */
  readonly excluded: Amount
}

/** The position against its limits, as lengths from 0 to 100. */
export interface Bar {
  readonly used: number
  readonly cap: number
  readonly cover: number
  /** How much of the smaller of cap and cover is used, in percent; 100 when it is zero. */
  readonly usedPercent: number
}

/** A participant that is owed money uses nothing. */
export function barOf({ position, reserved, netDebitCap, liquidity, excluded }: Cover): Bar {
  const used = Math.max(Number(position) + Number(reserved), 0)
  const cap = Number(netDebitCap ?? 0)
  const cover = Math.max(Number(liquidity) - Number(excluded), 0)
  const longest = Math.max(used, cap, cover, 1)
  const limit = Math.min(cap, cover)
  const share = (value: number) => Math.round((value / longest) * 1000) / 10
  return {
    used: share(used),
    cap: share(cap),
    cover: share(cover),
    usedPercent: limit <= 0 ? 100 : Math.round((used / limit) * 100),
  }
}

/** The same as text, with the decimals of the currency and without amounts of zero. */
export function coverText(
  { position, reserved, netDebitCap, liquidity, excluded }: Cover,
  currency = '',
): string {
  const isSome = (amount: Amount) => Number(amount) !== 0
  const shown = (amount: Amount) => shownAmount(amount, currency)
  return [
    `position ${shown(position)}`,
    ...(isSome(reserved) ? [`reserved ${shown(reserved)}`] : []),
    netDebitCap === null ? 'no limit yet' : `limit ${shown(netDebitCap)}`,
    `cover ${shown(liquidity)}`,
    ...(isSome(excluded) ? [`of which ${shown(excluded)} is excluded`] : []),
  ].join(', ')
}

/** Parses JSON without losing digits: a number that a double would change becomes text. */
export function readExactJson(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? source
      : value
  }
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]) as unknown
}
