/** Bounds that no scheme needs to change; tests pass other ones. A file of its own: tests import it. */
export const usualBounds = {
  /**
   * How long an entry waits for its source to register the key that signed it, before it is
   * quarantined; and how late an entry from before the revocation of its key may come. A service that
   * starts registers its key within seconds.
   */
  hold_ms: 600_000,
  /**
   * How long after a service registered its first component key its entries may be unsigned: replicas
   * without a key are replaced within a day.
   */
  unsigned_ms: 24 * 3_600_000,
  /** Lines in the log store, about a gigabyte; the oldest above it are deleted. */
  logLines_max: 1_000_000,
}

export type AuditBounds = Readonly<typeof usualBounds>
