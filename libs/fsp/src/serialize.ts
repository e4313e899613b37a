/**
 * Callbacks about a party do not name the request that they answer, so only one request per party
 * is open at a time: an equal request shares the answer, another one waits.
 */
export type RunSerialized<Result> = (
  key: string,
  request: string,
  begin: () => Promise<Result>,
) => Promise<Result>

export function serializeByKey<Result>(): RunSerialized<Result> {
  const open = new Map<string, { readonly request: string; readonly result: Promise<Result> }>()
  return async (key, request, begin) => {
    for (let other = open.get(key); other !== undefined; other = open.get(key)) {
      if (other.request === request) return other.result
      await other.result
    }
    const result = begin().finally(() => open.delete(key))
    open.set(key, { request, result })
    return result
  }
}
