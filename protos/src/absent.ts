/** Fields of release 0.1.0 have no presence: in those of which it says so, '' and 0 mean no value. */
export function orNull<Value extends string | number>(value: Value): Value | null {
  return value === '' || value === 0 ? null : value
}
