/** Begins whatever a load consists of by the clock, and counts how each ends. */
import { setTimeout as wait } from 'node:timers/promises'
import { quantiles, type Quantiles } from './quantiles.ts'

export interface Passed {
  readonly done: number
  /** The reasons of failures, with the number of each. */
  readonly failures: Readonly<Record<string, number>>
  /** From the scheduled start to the end at the FSP that began it. */
  readonly latency_ms: Quantiles
  /** From the first scheduled start to the last end. */
  readonly window_ms: number
}

/**
 * @param rate begun per second, whether or not earlier ones have finished; undefined: one after the
 * other
 */
export async function passAll(
  count: number,
  rate: number | undefined,
  one: (n: number) => Promise<unknown>,
): Promise<Passed> {
  const latencies: number[] = []
  const failures: Record<string, number> = {}
  const begun_ms = performance.now()
  const passing = async (n: number, due_ms: number) => {
    try {
      await one(n)
      latencies.push(performance.now() - due_ms)
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      const why = text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{ID}')
      failures[why] = (failures[why] ?? 0) + 1
    }
  }
  const all: Promise<void>[] = []
  for (let n = 0; n < count; n += 1) {
    if (rate === undefined) await passing(n, performance.now())
    else {
      const due_ms = begun_ms + (n * 1_000) / rate
      await wait(Math.max(0, due_ms - performance.now()))
      all.push(passing(n, due_ms))
    }
  }
  await Promise.all(all)
  const window_ms = performance.now() - begun_ms
  return { done: latencies.length, failures, latency_ms: quantiles(latencies), window_ms }
}
