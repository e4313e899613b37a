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
  if (typeof value !== 'object') {
    const told = typeof value === 'string' ? recordIn(value) : undefined
    return told === undefined ? new Map([[path, textOf(value)]]) : leavesOf(told, path)
  }
  const members = Object.entries<unknown>({ ...value })
  if (members.length === 0) return new Map(path === '' ? [] : [[path, 'none']])
  return new Map(
    members.flatMap(([name, member]) => [
      ...leavesOf(member, path === '' ? name : `${path}.${name}`),
    ]),
  )
}

/** Some services put a record on record as its JSON. */
function recordIn(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
