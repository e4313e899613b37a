/** What runs in a process until it is stopped. */
export interface Service {
  /** Takes no new work, finishes what is in flight, lets go of everything it opened. */
  stop(): Promise<void>
}
