/** CPU time of a piece of work that is done over and over: of several rounds the best counts. */

const warmup_ms = 500
const round_ms = 700
const rounds = 3

/**
 * Microseconds of CPU for one of what `work` counts.
 * @param work goes on until that time of `performance.now()`, and resolves with how many it did
 * @param cpu_us what the processes that do it have used until now
 */
export async function costOf(
  work: (until_ms: number) => Promise<number>,
  cpu_us: () => number | Promise<number>,
): Promise<number> {
  await work(performance.now() + warmup_ms)
  let best_us = Infinity
  for (let round = 0; round < rounds; round += 1) {
    const before_us = await cpu_us()
    const count = await work(performance.now() + round_ms)
    best_us = Math.min(best_us, ((await cpu_us()) - before_us) / count)
  }
  return best_us
}

/** So many at once, each after the other until that time. */
export async function repeated(
  one: () => Promise<unknown>,
  at_once: number,
  until_ms: number,
): Promise<number> {
  let count = 0
  const line = async () => {
    while (performance.now() < until_ms) {
      await one()
      count += 1
    }
  }
  await Promise.all(Array.from({ length: at_once }, line))
  return count
}

/** Of this process, all of its threads. */
export function ownCpu_us(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
