/** Addresses from values by name: those that the path names are put into it, the others are the query. */

/** The names of the variables in `/participants/{name}/keys/{kid}`. */
export type Variables<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Variables<Rest>
  : never

type AddressValues = Readonly<Record<string, string | number | undefined>>

/** An empty value is left out of the query. */
export function addressOf(path: string, values: AddressValues): string {
  const rest = new Map(Object.entries(values))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? ''
    rest.delete(name)
    return encodeURIComponent(value)
  })
  return `${filled}${query(Object.fromEntries(rest))}`
}

/** The query string, without empty members. */
export function query(values: AddressValues): string {
  const filled = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled).toString()}`
}

/** The page of a participant in the console, or of one of its resources. */
export const participantPath = (name: string, rest = '') =>
  `/participants/${encodeURIComponent(name)}${rest}`
