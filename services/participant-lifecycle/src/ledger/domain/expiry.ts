/** When something has expired: the one comparison of a time with an expiry in the whole ledger. */

/** The instant itself counts as expired. */
export function isExpired(expiresAt: Date, at: Date): boolean {
  return expiresAt <= at
}

/**
 * When a message counts as received. The edge that took it has stamped it by its own clock, which may run
 * ahead; nothing that is decided now can have been received later than now.
 */
export function receiptOf(stampedAt: Date, now: Date): Date {
  return stampedAt < now ? stampedAt : now
}

/** How long until `isExpired` with a grace; 0 when it is. */
export function untilExpired_ms(expiresAt: Date, grace_ms: number, at: Date): number {
  const end = new Date(expiresAt.getTime() + grace_ms)
  return isExpired(end, at) ? 0 : end.getTime() - at.getTime()
}
