/**
 * Whether work over a text takes more than linear time. CPU time is compared with itself at two
 * lengths, so that the speed and the load of the machine do not count; work that is cheap at the
 * longer length is not examined further.
 */

const short_length = 16_384
const long_length = 65_536
const cheap_ms = 5
const runs = 5
/** Other work of a busy machine can be in one comparison, quadratic work is in each. */
const comparisons = 4
/** Four times the length: linear work takes 4 times as long, quadratic work 16 times. */
const growth_max = 8

/**
 * @param textOf a text of about the given length
 * @returns undefined, or the factor by which the work takes longer at four times the length
 */
export async function growthBeyondLinear(
  work: (text: string) => unknown,
  textOf: (length: number) => string,
): Promise<number | undefined> {
  let growth = Infinity
  for (let comparison = 0; comparison < comparisons && growth > growth_max; comparison++) {
    const long_ms = await least_ms(work, textOf(long_length))
    if (long_ms < cheap_ms) return undefined
    growth = long_ms / (await least_ms(work, textOf(short_length)))
  }
  return growth > growth_max ? growth : undefined
}

async function least_ms(work: (text: string) => unknown, text: string): Promise<number> {
  let least = Infinity
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    await work(text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
