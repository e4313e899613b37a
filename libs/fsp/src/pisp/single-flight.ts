/** Runs the work for one key once at a time: concurrent callers share the result. */
export function singleFlight<Value>(
  work: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const underWay = new Map<string, Promise<Value>>()
  return (key) => {
    const begun = underWay.get(key) ?? work(key).finally(() => underWay.delete(key))
    underWay.set(key, begun)
    return begun
  }
}
