/** Bounds of delivery that no scheme needs to change; tests pass other ones. A file of its own: tests import it. */
export const usualBounds = {
  /** Of a server that a reminder is posted to: as long as an FSP may take to answer a callback. */
  timeout_ms: 10_000,
  /** For one due time. With the pauses below, a server may be away for half an hour. */
  attempts_max: 10,
  /** The pause before the second attempt; it doubles with each further one. */
  first_ms: 1_000,
  /** The longest pause: a server that is back gets its reminders within five minutes. */
  max_ms: 300_000,
  /** Before a one-time reminder with recovery RESCHEDULE is tried again: an hour. */
  reschedule_ms: 3_600_000,
}

export type DeliveryBounds = Readonly<typeof usualBounds>
