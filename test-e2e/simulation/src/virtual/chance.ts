/** Chance that a seed decides: the same seed gives the same numbers, on any machine. */
import { createHash } from 'node:crypto'

export interface Chance {
  /** At least 0, less than 1. */
  random(): number
  /** One of 0 … n - 1. */
  below(n: number): number
  oneOf<T>(values: readonly T[]): T
  /** Whether something of this probability happens. */
  happens(probability: number): boolean
}

/** mulberry32 */
export function openChance(seed: number): Chance {
  let state = seed >>> 0
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(random() * n)
  return {
    random,
    below,
    oneOf: (values) => values[below(values.length)] as (typeof values)[number],
    happens: (probability) => random() < probability,
  }
}

/** Seeds that have nothing to do with each other, one for each purpose. */
export function seedOf(...parts: readonly (number | string)[]): number {
  return createHash('sha256').update(parts.join(' ')).digest().readUInt32BE()
}
