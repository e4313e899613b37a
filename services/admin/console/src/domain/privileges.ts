/**
 * The operator's privileges from the token. They only hide buttons that the API would refuse; the
 * API decides.
 */

/** A list of privileges: each names one, or with a star at its end all with that prefix. */
export function grants(granted: readonly string[], privilege: string): boolean {
  return granted.some((one) =>
    one.endsWith('*') ? privilege.startsWith(one.slice(0, -1)) : one === privilege,
  )
}
