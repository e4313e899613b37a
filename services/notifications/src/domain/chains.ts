/**
 * Notifications about one entity leave for one FSP one after the other: a batch is cut into chains,
 * and a chain begins only when nothing older of it is unfinished.
 */

export interface Linked {
  readonly fspId: string
  readonly entityId: string
}

/** The same for all notifications that must keep their order. No FSP id holds a line feed. */
export function chainKey({ fspId, entityId }: Linked): string {
  return `${fspId}\n${entityId}`
}

export interface Chains<Item> {
  /** Each begins with its first; the next one follows when the one before it has ended. */
  readonly free: readonly (readonly Item[])[]
  /** Behind something unfinished: they wait in the store. */
  readonly blocked: readonly Item[]
}

export function cutIntoChains<Item extends Linked>(
  items: readonly Item[],
  unfinished: ReadonlySet<string>,
): Chains<Item> {
  const free = new Map<string, Item[]>()
  const blocked: Item[] = []
  for (const item of items) {
    const key = chainKey(item)
    const chain = free.get(key)
    if (unfinished.has(key)) blocked.push(item)
    else if (chain === undefined) free.set(key, [item])
    else chain.push(item)
  }
  return { free: [...free.values()], blocked }
}
