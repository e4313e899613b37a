/**
 * Up to which number a consumer has finished without a gap. Messages start in the order of their numbers
 * and finish in any order; everything up to the mark is finished, so the mark is safe to store.
 */

export interface Watermark {
  /** A message is delivered; its number is higher than all before it. */
  begin(n: number, begun_ms: number): void
  /**
   * It need not be delivered again. A number that was not begun, or finished before, is ignored.
   */
  finish(n: number): void
  /** The lowest number not finished yet; undefined when there is none. */
  lowest(): number | undefined
  /** When that one was announced or read; undefined when there is none. */
  lowest_ms(): number | undefined
  /** From the lowest unfinished to the newest begun: the messages that would be delivered again after a crash. */
  readonly length: number
}

/**
 * A ring of three columns that grows by doubling, so that a message costs no allocation. Its length
 * is bounded by its owner, which starts no more messages when it is too long.
 */
export function watermark(): Watermark {
  let capacity = 1024
  let numbers = new Float64Array(capacity)
  let times = new Float64Array(capacity)
  let finished = new Uint8Array(capacity)
  let head = 0
  let length = 0

  const slot = (at: number): number => (head + at) & (capacity - 1)

  function grow(): void {
    const from = { numbers, times, finished }
    const order = Array.from({ length }, (_, at) => slot(at))
    capacity *= 2
    numbers = new Float64Array(capacity)
    times = new Float64Array(capacity)
    finished = new Uint8Array(capacity)
    head = 0
    order.forEach((old, at) => {
      numbers[at] = from.numbers[old] ?? 0
      times[at] = from.times[old] ?? 0
      finished[at] = from.finished[old] ?? 0
    })
  }

  /** The numbers in the ring rise, so a number is found by halving. */
  function find(n: number): number | undefined {
    let low = 0
    let high = length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = numbers[slot(middle)] ?? 0
      if (found === n) return slot(middle)
      if (found < n) low = middle + 1
      else high = middle - 1
    }
    return undefined
  }

  return {
    begin(n, begun_ms) {
      if (length === capacity) grow()
      const at = slot(length)
      numbers[at] = n
      times[at] = begun_ms
      finished[at] = 0
      length++
    },
    finish(n) {
      const at = length > 0 && numbers[head] === n ? head : find(n)
      if (at === undefined) return
      finished[at] = 1
      while (length > 0 && finished[head] === 1) {
        head = slot(1)
        length--
      }
    },
    lowest: () => (length === 0 ? undefined : numbers[head]),
    lowest_ms: () => (length === 0 ? undefined : times[head]),
    get length() {
      return length
    },
  }
}
