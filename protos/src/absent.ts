/** Fields of release 0.1.0 have no presence: in those of which it says so, '' and 0 mean no value. */
export function orNull<Value extends string | number>(value: Value): Value | null {
  return value === '' || value === 0 ? null : value
}

type Present<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> }

/** For `optional` fields: those that have a value; null and undefined are absent on the wire. */
export function present<Members extends object>(members: Members): Present<Members> {
  const having = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return Object.fromEntries(having) as Present<Members>
}
