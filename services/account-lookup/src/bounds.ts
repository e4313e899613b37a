/** Bounds that no scheme needs to change; tests pass other ones. A file of its own: tests import it. */
export const usualBounds = {
  /** Events in one batch. */
  batch_max: 100,
  /** A second batch, so that a long list of parties does not delay lookups. */
  batches_in_flight_max: 2,
  /** How long delivery of GET /parties to its FSP is tried: no payer waits for it longer. */
  queryDeadline_ms: 30_000,
  /** The maximum age of cached owners, answers of oracles and the list of oracles; 0: no cache. */
  cacheAge_ms: 10_000,
  /** Parties in the cache of the own store, and in that of each oracle: about 20 MB each. */
  cacheEntries_max: 100_000,
  /** The maximum age of cached participants, also when a change event was missed. */
  participantAge_ms: 60_000,
  /** How long a FindOwners call waits for an oracle: less than its callers wait (quoting: 2,000). */
  findOwners_ms: 1_500,
  /** Requests that wait for oracles at once. */
  oracleRequests_max: 128,
  /** Attempts of a query before the oracle counts as away; changes are sent once. */
  attempts_max: 2,
  /** Concurrent calls of one oracle. */
  calls_max: 32,
  /** Consecutive failures after which only trial calls are made. */
  failures_max: 5,
  /** The time between two trials. */
  trial_every_ms: 5_000,
}

export type LookupBounds = Readonly<typeof usualBounds>
