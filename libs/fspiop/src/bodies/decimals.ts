/**
 * Amounts that are finer than their currency, where a scheme bounds them. Every Money of a body counts,
 * in any message and at any depth, also in members that the API does not define: its receiver may use it.
 */
import { exceededDecimals, parseAmount, type DecimalBounds } from '@causeway/money'
import type { Fault } from './faults.ts'

/** The first amount of a parsed body with more decimals than its currency; code 3100. */
export function finerAmount(json: unknown, bounds: DecimalBounds): Fault | undefined {
  return find(json, '', bounds)
}

/** The same of one amount; undefined for a text that is no amount, which its schema refuses. */
export function finerThan(
  bounds: DecimalBounds,
  currency: string,
  amount: string,
): string | undefined {
  const units = parseAmount(amount)
  const decimals = units === undefined ? undefined : exceededDecimals(bounds, currency, units)
  return decimals === undefined
    ? undefined
    : `amounts in ${currency} have at most ${decimals} decimals`
}

function find(value: unknown, path: string, bounds: DecimalBounds): Fault | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { currency, amount } = value as Readonly<Record<string, unknown>>
  if (typeof currency === 'string' && typeof amount === 'string') {
    const fault = finerThan(bounds, currency, amount)
    if (fault !== undefined) return { code: '3100', detail: `${path}/amount: ${fault}` }
  }
  for (const [name, member] of Object.entries(value)) {
    const fault = find(member, `${path}/${name}`, bounds)
    if (fault !== undefined) return fault
  }
  return undefined
}
