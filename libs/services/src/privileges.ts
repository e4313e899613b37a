/** What the privileges of an operator permit. */

/**
 * Whether a list of privileges grants one: each entry names one, or with a star at its end all with that
 * prefix.
 */
export function grants(granted: readonly string[], privilege: string): boolean {
  return granted.some((one) =>
    one.endsWith('*') ? privilege.startsWith(one.slice(0, -1)) : one === privilege,
  )
}
