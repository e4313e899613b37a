/** When something has expired: the only comparison of a time with an expiry in the ledger. */

/** The instant itself counts as expired. */
export function isExpired(expiresAt: Date, at: Date): boolean {
  return expiresAt <= at
}

/**
 * When a message counts as received. fspiop-api stamps it by its own clock, which may run ahead; a
 * message decided now cannot have been received later than now.
 */
export function receiptOf(stampedAt: Date, now: Date): Date {
  return stampedAt < now ? stampedAt : now
}

/** How long until `isExpired` with a grace; 0 when it is. */
export function untilExpired_ms(expiresAt: Date, grace_ms: number, at: Date): number {
  const end = new Date(expiresAt.getTime() + grace_ms)
  return isExpired(end, at) ? 0 : end.getTime() - at.getTime()
}
