/** The lengths of the bars and lines of a chart, from 0 to 100. */

export interface Bar {
  /** From the left edge. */
  readonly x: number
  readonly width: number
  readonly height: number
}

/** One bar for each value, in their order; the highest one fills the chart. */
export function barsOf(values: readonly number[]): readonly Bar[] {
  const highest = Math.max(...values, 0)
  const step = 100 / Math.max(values.length, 1)
  return values.map((value, at) => ({
    x: at * step + step * 0.1,
    width: step * 0.8,
    height: highest === 0 ? 0 : (Math.max(value, 0) / highest) * 100,
  }))
}

/**
 * The points of a line from the beginning to the end of each bar, `x,y` with y from the top; a day
 * without a value interrupts it.
 * @param highest the value at the top
 */
export function linesOf(values: readonly (number | null)[], highest: number): readonly string[] {
  const step = 100 / Math.max(values.length, 1)
  const lines: string[][] = [[]]
  values.forEach((value, at) => {
    if (value === null) lines.push([])
    else {
      const y = 100 - (value / Math.max(highest, 1)) * 100
      lines.at(-1)?.push(`${(at + 0.1) * step},${y}`, `${(at + 0.9) * step},${y}`)
    }
  })
  return lines.filter((line) => line.length > 0).map((line) => line.join(' '))
}
