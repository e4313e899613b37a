/**
 * When each step of each payment happened, and how long it took: as a whole from its scheduled
 * start, and without the time that the two FSPs took.
 */
import type { LegName } from '../options.ts'
import { quantiles, type Quantiles } from '../quantiles.ts'

/**
 * The payer FSP sends, the request reaches the payee FSP, the payee FSP answers, the answer reaches
 * the payer FSP. One process takes all times, so they have one clock.
 */
const marks = ['ASKED', 'REACHED', 'ANSWERED', 'DONE'] as const
type Mark = (typeof marks)[number]

export type Timeline = ReturnType<typeof openTimeline>

export interface Latencies {
  readonly latency_ms: Quantiles
  readonly hub_latency_ms: Quantiles
}

export interface Measured extends Latencies {
  readonly legs: Readonly<Partial<Record<LegName, Latencies>>>
}

export function openTimeline(payments: number, legs: number) {
  const width = 1 + legs * marks.length
  const times = new Float64Array(payments * width)
  const indexOf = (n: number, leg: number, mark: Mark) =>
    n * width + 1 + leg * marks.length + marks.indexOf(mark)
  const at = (n: number, leg: number, mark: Mark) => times[indexOf(n, leg, mark)] ?? 0
  return {
    /** When the payment was scheduled to begin. */
    scheduled(n: number, at_ms: number): void {
      times[n * width] = at_ms
    },
    mark(n: number, leg: number, mark: Mark, at_ms: number): void {
      times[indexOf(n, leg, mark)] = at_ms
    },
    timesOf(n: number) {
      const scheduled = times[n * width] ?? 0
      const each = Array.from({ length: legs }, (_, leg) => {
        const begun = leg === 0 ? scheduled : at(n, leg - 1, 'DONE')
        const total_ms = at(n, leg, 'DONE') - begun
        const payer_ms = at(n, leg, 'ASKED') - begun
        const payee_ms = at(n, leg, 'ANSWERED') - at(n, leg, 'REACHED')
        return { total_ms, hub_ms: total_ms - payer_ms - payee_ms }
      })
      const sum = (part: 'total_ms' | 'hub_ms') => each.reduce((all, leg) => all + leg[part], 0)
      return { total_ms: sum('total_ms'), hub_ms: sum('hub_ms'), legs: each }
    },
  }
}

/** Over the payments that have ended. */
export function measure(
  timeline: Timeline,
  payments: readonly number[],
  legs: readonly LegName[],
): Measured {
  const times = payments.map((n) => timeline.timesOf(n))
  const ofLeg = (leg: number): Latencies => ({
    latency_ms: quantiles(times.map((each) => each.legs[leg]?.total_ms ?? 0)),
    hub_latency_ms: quantiles(times.map((each) => each.legs[leg]?.hub_ms ?? 0)),
  })
  return {
    latency_ms: quantiles(times.map(({ total_ms }) => total_ms)),
    hub_latency_ms: quantiles(times.map(({ hub_ms }) => hub_ms)),
    legs: Object.fromEntries(legs.map((name, leg) => [name, ofLeg(leg)])),
  }
}
