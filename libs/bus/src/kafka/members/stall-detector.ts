/**
 * How long a process has stalled for a reason that a restart can cure. While the brokers send
 * nothing at all, a restart would cure nothing: the process waits, and this time does not count.
 */

/**
 * Available brokers answer each fetch and heartbeat; a silent consumer is replaced by a new one.
 */
const away_ms = 5_000

/**
 * To be called periodically, as watchdogs do.
 * @param now_ms a clock
 */
export function openStallDetector(now_ms = () => performance.now()) {
  let back_ms = -Infinity
  /**
   * @param without_ms since anything advanced; undefined: there is no work
   * @param silent_ms since a broker sent anything
   */
  return (without_ms: number | undefined, silent_ms: number): number | undefined => {
    if (silent_ms >= away_ms) {
      back_ms = now_ms()
      return undefined
    }
    return without_ms === undefined ? undefined : Math.min(without_ms, now_ms() - back_ms)
  }
}
