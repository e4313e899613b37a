/**
 * CPU time of a repeated operation: as often as possible, or only at a given rate, since a process
 * that slept before takes much more for the same operation than one that never sleeps.
 */

export type Pacing =
  | { readonly type: 'BUSY' }
  | { readonly type: 'PACED'; readonly per_second: number }

export interface Work {
  readonly one: () => Promise<unknown>
  /** The number of operations one after the other when it is done as often as possible. */
  readonly at_once: number
  /**
   * Resolves when everything that `one` has begun is done; without it `one` waits for that itself.
   */
  readonly settled?: () => Promise<void>
}

/** The CPU time that the processes of the operation have used until now. */
type Clock_us = () => number | Promise<number>

interface Round {
  readonly count: number
  readonly used_us: number
  readonly took_ms: number
}

const warmup_ms = 500
const round_ms = 700
const rounds = 3
/** A paced round lasts for this number of operations, within these bounds. */
const repetitions = 100
const paced_ms_min = 3_000
const paced_ms_max = 10_000

/** Microseconds of CPU per operation. Of several busy rounds the best counts. */
export async function costOf(work: Work, cpu_us: Clock_us, pacing: Pacing): Promise<number> {
  if (pacing.type === 'PACED') return pacedCostOf(work, cpu_us, pacing.per_second)
  await busy(work, warmup_ms)
  let best_us = Infinity
  for (let round = 0; round < rounds; round += 1) {
    const { used_us, count } = await measured(() => busy(work, round_ms), cpu_us)
    best_us = Math.min(best_us, used_us / count)
  }
  return best_us
}

/**
 * Without the CPU time of the same processes when only the clock runs at that rate: the timer,
 * which belongs to the measurement, and their other work. A process without the clock has none of
 * it.
 */
async function pacedCostOf(work: Work, cpu_us: Clock_us, per_second: number): Promise<number> {
  const wanted_ms = (repetitions * 1_000) / per_second
  const for_ms = Math.min(Math.max(wanted_ms, paced_ms_min), paced_ms_max)
  const nothing: Work = { one: () => Promise.resolve(), at_once: 1 }
  const empty = await measured(() => paced(nothing, per_second, for_ms / 2), cpu_us)
  await busy(work, warmup_ms)
  const { count, used_us, took_ms } = await measured(() => paced(work, per_second, for_ms), cpu_us)
  const beside_us = (empty.used_us * took_ms) / empty.took_ms
  return Math.max(used_us - beside_us, 0) / count
}

/** @param round resolves with the number of operations */
async function measured(round: () => Promise<number>, cpu_us: Clock_us): Promise<Round> {
  const before_us = await cpu_us()
  const before_ms = performance.now()
  const count = await round()
  const took_ms = performance.now() - before_ms
  return { count, used_us: (await cpu_us()) - before_us, took_ms }
}

/** Resolves with the number of operations. */
async function busy({ one, at_once, settled }: Work, for_ms: number): Promise<number> {
  const until_ms = performance.now() + for_ms
  let count = 0
  const line = async () => {
    while (performance.now() < until_ms) {
      await one()
      count += 1
    }
  }
  await Promise.all(Array.from({ length: at_once }, line))
  await settled?.()
  return count
}

/**
 * Begins an operation each time it is due by the clock, whether or not earlier ones are done (open
 * loop).
 */
async function paced({ one, settled }: Work, per_second: number, for_ms: number): Promise<number> {
  const start_ms = performance.now()
  const begun: Promise<unknown>[] = []
  const next_ms = () => (begun.length * 1_000) / per_second
  while (next_ms() < for_ms) {
    const wait_ms = Math.ceil(next_ms() - (performance.now() - start_ms))
    await new Promise((resolve) => setTimeout(resolve, wait_ms))
    // A timer may fire a little early, and arbitrarily late.
    do {
      const latest = one()
      // Awaited at the end; until then a rejection must not count as unhandled.
      latest.catch(() => undefined)
      begun.push(latest)
    } while (next_ms() < Math.min(performance.now() - start_ms, for_ms))
  }
  await Promise.all(begun)
  await settled?.()
  return begun.length
}

/** Of this process, all of its threads. */
export function ownCpu_us(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
