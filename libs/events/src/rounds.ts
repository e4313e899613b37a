/**
 * Splits a batch into rounds that are processed one after the other, so that the events of one
 * payment keep their order while those of different payments are stored together.
 */

/** @param idsOf what an item concerns, at least one id: a round has each id at most once */
export function roundsOf<Item>(
  items: readonly Item[],
  idsOf: (item: Item) => readonly string[],
): readonly (readonly Item[])[] {
  const rounds: Item[][] = []
  const next = new Map<string, number>()
  for (const item of items) {
    const ids = idsOf(item)
    const round = Math.max(...ids.map((id) => next.get(id) ?? 0))
    for (const id of ids) next.set(id, round + 1)
    const others = rounds[round]
    if (others === undefined) rounds.push([item])
    else others.push(item)
  }
  return rounds
}
