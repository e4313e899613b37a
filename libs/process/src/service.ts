/** What runs in a process until it is stopped. */
export interface Service {
  /** Takes no new work, finishes what is in flight, closes everything that it opened. */
  stop(): Promise<void>
}
