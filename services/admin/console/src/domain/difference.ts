/** The members of a record that differ before and after a change, by their paths. */

export interface Difference {
  readonly path: string
  /** undefined: it did not exist. */
  readonly before: string | undefined
  /** undefined: it no longer exists. */
  readonly after: string | undefined
}

/** In the order of the paths; equal members are left out. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const was = leavesOf(before)
  const is = leavesOf(after)
  const paths = [...new Set([...was.keys(), ...is.keys()])].toSorted()
  return paths
    .map((path) => ({ path, before: was.get(path), after: is.get(path) }))
    .filter((one) => one.before !== one.after)
}

/** Each value that is neither record nor list, by its path; an empty record or list is a value. */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (value === null || value === undefined) {
    return new Map(path === '' ? [] : [[path, 'nothing']])
  }
  if (typeof value !== 'object') {
    const record = typeof value === 'string' ? recordIn(value) : undefined
    return record === undefined ? new Map([[path, textOf(value)]]) : leavesOf(record, path)
  }
  const members = Object.entries<unknown>({ ...value })
  if (members.length === 0) return new Map(path === '' ? [] : [[path, 'none']])
  return new Map(
    members.flatMap(([name, member]) => [
      ...leavesOf(member, path === '' ? name : `${path}.${name}`),
    ]),
  )
}

/** Some services store a record as JSON text. */
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
