/**
 * What a look at something costly found, for any number of callers: one look at a time, and its result
 * serves for a while after it.
 */
export function recent<T>(
  look: () => Promise<T>,
  fresh_ms: number,
  now_ms: () => number = Date.now,
): () => Promise<T> {
  let looking: Promise<T> | undefined
  let found: { readonly at_ms: number; readonly result: T } | undefined
  return () => {
    if (looking !== undefined) return looking
    if (found !== undefined && now_ms() - found.at_ms < fresh_ms) {
      return Promise.resolve(found.result)
    }
    looking = look()
      .then((result) => {
        found = { at_ms: now_ms(), result }
        return result
      })
      .finally(() => {
        looking = undefined
      })
    return looking
  }
}
