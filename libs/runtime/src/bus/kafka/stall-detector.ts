/**
 * How long a process stands still, as far as it can help it. While the brokers say nothing at all, ending
 * the process and starting it again would cure nothing: it waits. What it has stood still meanwhile does
 * not count.
 */

/** Brokers that are there answer each fetch and heartbeat; a consumer that hears nothing is begun anew. */
const away_ms = 5_000

/**
 * Asked again and again, as watchdogs do.
 * @param now_ms a clock
 */
export function openStallDetector(now_ms = () => performance.now()) {
  let back_ms = -Infinity
  /**
   * @param without_ms since anything moved; undefined: there is nothing to do
   * @param silent_ms since a broker said anything
   */
  return (without_ms: number | undefined, silent_ms: number): number | undefined => {
    if (silent_ms >= away_ms) {
      back_ms = now_ms()
      return undefined
    }
    return without_ms === undefined ? undefined : Math.min(without_ms, now_ms() - back_ms)
  }
}
