/**
 * Callbacks about a party do not say which request they answer, so one request about each is open at a
 * time: the same one shares the answer, another one waits for its turn.
 */
export type TakeTurn<Result> = (
  key: string,
  request: string,
  begin: () => Promise<Result>,
) => Promise<Result>

export function takeTurns<Result>(): TakeTurn<Result> {
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
