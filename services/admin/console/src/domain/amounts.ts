/**
 * Amounts as they are shown: the digits that the API sent. A floating-point number is good enough for
 * the length of a bar, never for a figure.
 */
import { currencyExponent } from '@causeway/money'

/** A JSON number whose digits a double would change comes as its text. */
export type Amount = number | string

const thousands = '\u202f'

/**
 * Thousands apart, the sign kept, no digit lost. With a currency it has at least the decimals of that
 * currency, and more when the hub keeps more.
 */
export function shownAmount(amount: Amount, currency = ''): string {
  const [, sign = '', whole = '', decimals = ''] =
    /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount)) ?? []
  // Nothing that the API sends; shown as it is rather than as nothing.
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

/** What the ledger holds a payment against, as the API says it. */
export interface Cover {
  readonly position: Amount
  readonly reserved: Amount
  /** null before the first limit. */
  readonly netDebitCap: Amount | null
  readonly liquidity: Amount
  /** The part of the liquidity that payments may not use. */
  readonly excluded: Amount
}

/** What is owed against what may be, as lengths from 0 to 100. */
export interface Bar {
  readonly used: number
  readonly cap: number
  readonly cover: number
  /** How much of the smaller of cap and cover is used, in percent; 100 when there is none of it. */
  readonly usedPercent: number
}

/** Who is owed money uses nothing. */
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

/** The same in words, amounts with the decimals of the currency; what is nothing is left out. */
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

/** JSON whose numbers keep their digits: one that a double would change is its text. */
export function readExactJson(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? source
      : value
  }
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]) as unknown
}
