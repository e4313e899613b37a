/** Bounds that no scheme needs to change. */

/** The maximum age of cached participants, keys and tokens, also when a change event was missed. */
export const age_max_ms = 60_000

/** How long a request may take to become durable before it is refused: FSPs wait little longer for 202. */
export const usualPublish_ms = 5_000

/**
 * The minimum of relayed answers to requests at other edges while these are unknown: distributed services
 * without Redis, or while Redis is unavailable. It is what an FSP asks in half a minute at 1,000 a second.
 */
export const unknown_max = 30_000
