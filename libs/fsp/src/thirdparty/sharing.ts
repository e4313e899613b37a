/** Work for one key at a time: who asks for it while it is under way gets the same result. */
export function sharing<Value>(
  work: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const underWay = new Map<string, Promise<Value>>()
  return (key) => {
    const begun = underWay.get(key) ?? work(key).finally(() => underWay.delete(key))
    underWay.set(key, begun)
    return begun
  }
}
