/** What a change changed: the members of a record before and after, each by its path, where they differ. */

export interface Difference {
  readonly path: string
  /** undefined: it was not there. */
  readonly before: string | undefined
  /** undefined: it is not there any more. */
  readonly after: string | undefined
}

/** In the order of the paths; what is the same on both sides is left out. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const was = leavesOf(before)
  const is = leavesOf(after)
  const paths = [...new Set([...was.keys(), ...is.keys()])].toSorted()
  return paths
    .map((path) => ({ path, before: was.get(path), after: is.get(path) }))
    .filter((one) => one.before !== one.after)
}

/** Each value that is no record and no list, by its path; an empty one is a value of its own. */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (value === null || value === undefined) {
    return new Map(path === '' ? [] : [[path, 'nothing']])
  }
  if (typeof value !== 'object') return new Map([[path, textOf(value)]])
  const members = Object.entries<unknown>({ ...value })
  if (members.length === 0) return new Map(path === '' ? [] : [[path, 'none']])
  return new Map(
    members.flatMap(([name, member]) => [
      ...leavesOf(member, path === '' ? name : `${path}.${name}`),
    ]),
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
