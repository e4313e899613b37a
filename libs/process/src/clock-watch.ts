/** Detects clocks that run ahead: a timestamp of another process is in the future here. */
import { Counter } from 'prom-client'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'

export interface ClockWatchOptions {
  readonly metrics: Metrics
  readonly log: Logger
  /** Name of the counter, which ends in `_total`. */
  readonly counter: string
  /** The clock that the times are compared with, for the log: "the ledger's database". */
  readonly clock: string
}

/** Clocks that NTP synchronizes differ by less. */
const ahead_ms_max = 1_000
/** A wrong clock stamps every message wrongly, so only some are logged. */
const pause_ms = 60_000

/** Called with each timestamp, and with the time here when it is used. */
export type ClockWatch = (id: string, stamped_ms: number, now_ms: number) => void

/** Counts each time that is more than a second ahead, and logs an alarm at most once a minute. */
export function openClockWatch({ metrics, log, counter, clock }: ClockWatchOptions): ClockWatch {
  const ahead = new Counter({
    name: counter,
    help: `Messages whose time of receipt is more than a second ahead of the clock of ${clock}`,
    registers: [metrics],
  })
  let loggedAt_ms = -Infinity
  return (id, stamped_ms, now_ms) => {
    const ahead_ms = stamped_ms - now_ms
    if (ahead_ms <= ahead_ms_max) return
    ahead.inc()
    if (Math.abs(now_ms - loggedAt_ms) < pause_ms) return
    loggedAt_ms = now_ms
    log.error({ id, ahead_ms }, `ALARM the clock of an edge is ahead of the clock of ${clock}`)
  }
}
