/**
 * Work on many items at once, of which one that cannot be done keeps no other from being done: where the
 * work fails it is repeated on each half, until the items that fail are alone.
 */
import { outageIn } from '../outage.ts'

export interface Failed<Item> {
  readonly item: Item
  readonly error: unknown
}

/** So many items are needed to say that the items are not the cause of a failure that all of them share. */
const alike_min = 4

/**
 * Resolves to the items that fail. Throws an outage at once: it is not caused by any item. Throws as well
 * when many items are given and none succeeds.
 */
export async function halving<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<unknown>,
): Promise<readonly Failed<Item>[]> {
  const failed = items.length === 0 ? [] : await failedIn(items, work)
  const [first] = failed
  if (first !== undefined && failed.length === items.length && failed.length >= alike_min) {
    throw first.error
  }
  return failed
}

async function failedIn<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<unknown>,
): Promise<readonly Failed<Item>[]> {
  try {
    await work(items)
    return []
  } catch (error) {
    // Of work that is too large, smaller parts may succeed.
    if ((outageIn(error)?.kind ?? 'TOO_LARGE') !== 'TOO_LARGE') throw error
    const [first] = items
    if (items.length === 1 && first !== undefined) return [{ item: first, error }]
    const middle = items.length >> 1
    return [
      ...(await failedIn(items.slice(0, middle), work)),
      ...(await failedIn(items.slice(middle), work)),
    ]
  }
}
