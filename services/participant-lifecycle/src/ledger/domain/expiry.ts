/** When something has expired: the one comparison of a time with an expiry in the whole ledger. */

/** The instant itself counts as expired. */
export function isExpired(expiresAt: Date, at: Date): boolean {
  return expiresAt <= at
}

/** How long until `isExpired` with a grace; 0 when it is. */
export function untilExpired_ms(expiresAt: Date, grace_ms: number, at: Date): number {
  const end = new Date(expiresAt.getTime() + grace_ms)
  return isExpired(end, at) ? 0 : end.getTime() - at.getTime()
}
