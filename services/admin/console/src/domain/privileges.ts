/**
 * What an operator may do, as his token says it. It only keeps a button from being drawn that the API
 * would refuse; the API has the last word.
 */

/** A list of privileges: each names one, or with a star at its end all that begin so. */
export function grants(granted: readonly string[], privilege: string): boolean {
  return granted.some((one) =>
    one.endsWith('*') ? privilege.startsWith(one.slice(0, -1)) : one === privilege,
  )
}
