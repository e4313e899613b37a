/** Bounds of the ledger that no scheme needs to change; tests have other ones. */
export const usualBounds = {
  /** Items in one transaction of the ledger: more of them would gain little and delay the first. */
  batch_max: 200,
  /** Items that wait for the ledger, a few seconds of its work; further ones are refused as unavailable. */
  queued_max: 10_000,
  /** How often the ledger looks for funds out that were not completed in time. */
  fundsSweep_ms: 60_000,
}

export type LedgerBounds = Readonly<typeof usualBounds>
