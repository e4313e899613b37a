/** What waits for a lane: sources take turns, and what comes from one source keeps its order. */

export interface FairQueue<Item> {
  add(source: string, item: Item): void
  /** Nothing when it does not wait. */
  remove(source: string, item: Item): void
  /** Takes out the first of the source whose turn it is among those that may; undefined when none. */
  takeNext(may: (source: string) => boolean): Item | undefined
  /** Takes out everything. */
  drain(): readonly Item[]
}

export function openFairQueue<Item>(): FairQueue<Item> {
  /** The source whose turn it is comes first. */
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
