/** Values that operators set one after the other, and which of them may apply at a moment. */

/** A value that took effect between these two moments. */
export interface Setting<Value> {
  readonly value: Value
  readonly sent_ms: number
  readonly done_ms: number
}

/** @param initial what applies before any other value does */
export function inForce<Value>(
  at_ms: number,
  initial: Value,
  settings: readonly Setting<Value>[],
): ReadonlySet<Value> {
  const first = { value: initial, sent_ms: -Infinity, done_ms: -Infinity }
  const begun = [first, ...settings].filter(({ sent_ms }) => sent_ms <= at_ms)
  const isReplaced = ({ done_ms }: Setting<Value>) =>
    begun.some((later) => done_ms < later.sent_ms && later.done_ms < at_ms)
  return new Set(begun.filter((each) => !isReplaced(each)).map(({ value }) => value))
}
