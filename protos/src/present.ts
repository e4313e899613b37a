/** Builds messages from what may be missing, so that an `optional` field without a value is absent. */
type Present<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> }

/** For `optional` fields: those that have a value; null and undefined are absent on the wire. */
export function present<Members extends object>(members: Members): Present<Members> {
  const having = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return Object.fromEntries(having) as Present<Members>
}
