/**
 * Amounts as they are shown: the digits that the API sent. A floating-point number is good enough for
 * the length of a bar, never for a figure.
 */

/** A JSON number whose digits a double would change comes as its text. */
export type Amount = number | string

/** Thousands apart, the sign kept, no digit added or lost. */
export function shownAmount(amount: Amount): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(String(amount)) ?? []
  return `${sign === '-' ? '−' : ''}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ')}${rest}`
}

export function isNegative(amount: Amount): boolean {
  return String(amount).startsWith('-')
}

/** The amount without its sign. */
export function magnitude(amount: Amount): Amount {
  return String(amount).replace('-', '')
}

/** What can be owed against what is there, as lengths from 0 to 100. */
export interface Bar {
  readonly used: number
  readonly cap: number
  readonly cover: number
  /** How much of the smaller of cap and cover is used, in percent; 100 when there is none of it. */
  readonly usedPercent: number
}

/** @param position owed; below zero it is owed to the participant, and nothing is used */
export function barOf(position: Amount, cap: Amount, cover: Amount): Bar {
  const used = Math.max(Number(position), 0)
  const bounds = [Number(cap), Math.max(Number(cover), 0)] as const
  const longest = Math.max(used, ...bounds, 1)
  const limit = Math.min(...bounds)
  const share = (value: number) => Math.round((value / longest) * 1000) / 10
  return {
    used: share(used),
    cap: share(bounds[0]),
    cover: share(bounds[1]),
    usedPercent: limit <= 0 ? 100 : Math.round((used / limit) * 100),
  }
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
