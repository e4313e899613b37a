/** The queue of a lane: round robin over the sources, in order within each source. */

export interface FairQueue<Item> {
  add(source: string, item: Item): void
  /** Does nothing when the item is not queued. */
  remove(source: string, item: Item): void
  /** Removes the first item of the next source for which `may` is true; undefined when none. */
  takeNext(may: (source: string) => boolean): Item | undefined
  /** Removes everything. */
  drain(): readonly Item[]
}

export function openFairQueue<Item>(): FairQueue<Item> {
  /** The next source is first. */
  const bySource = new Map<string, Set<Item>>()
  return {
    add(source, item) {
      const items = bySource.get(source)
      if (items === undefined) bySource.set(source, new Set([item]))
      else items.add(item)
    },
    remove(source, item) {
      const items = bySource.get(source)
      if (items?.delete(item) === true && items.size === 0) bySource.delete(source)
    },
    takeNext(may) {
      for (const [source, items] of bySource) {
        if (!may(source)) continue
        bySource.delete(source)
        const [first] = items
        if (first === undefined) continue
        items.delete(first)
        if (items.size > 0) bySource.set(source, items)
        return first
      }
      return undefined
    },
    drain() {
      const all = [...bySource.values()].flatMap((items) => [...items])
      bySource.clear()
      return all
    },
  }
}
