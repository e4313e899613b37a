/**
 * The slots of a lane, shared by the sources of its messages. A source may use three times as many slots
 * as are free (dynamic thresholds; Choudhury and Hahne, 1998): a single source gets three quarters of
 * them, and there is always a slot for another source.
 */
export interface Slots {
  /** Whether the source may use one more. */
  hasFreeFor(source: string): boolean
  take(source: string): void
  release(source: string): void
  readonly taken: number
}

const free_multiple_max = 3

export function openSlots(slots_max: number): Slots {
  const bySource = new Map<string, number>()
  let taken = 0
  const of = (source: string) => bySource.get(source) ?? 0
  return {
    hasFreeFor: (source) => of(source) < free_multiple_max * (slots_max - taken),
    take(source) {
      taken += 1
      bySource.set(source, of(source) + 1)
    },
    release(source) {
      const left = of(source) - 1
      taken -= 1
      if (left > 0) bySource.set(source, left)
      else bySource.delete(source)
    },
    get taken() {
      return taken
    },
  }
}

/**
 * Allocates at most `slots_max` slots to the sources, round robin, without taking them.
 *
 * @param sources in a stable order
 * @param last the source that was served last; the allocation begins with the one that follows it
 */
export function allocateSlots(
  slots: Slots,
  sources: readonly string[],
  last: string,
  slots_max: number,
): ReadonlyMap<string, number> {
  const next = sources.findIndex((source) => source > last)
  const inTurn = next < 0 ? sources : [...sources.slice(next), ...sources.slice(0, next)]
  const given: string[] = []
  for (let before = -1; before < given.length;) {
    before = given.length
    for (const source of inTurn) {
      if (given.length >= slots_max || !slots.hasFreeFor(source)) continue
      slots.take(source)
      given.push(source)
    }
  }
  const shares = new Map<string, number>()
  for (const source of given) {
    slots.release(source)
    shares.set(source, (shares.get(source) ?? 0) + 1)
  }
  return shares
}
