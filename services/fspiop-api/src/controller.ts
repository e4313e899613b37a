/**
 * Which part of the messages is turned away so that what is let in waits no longer than it should: the
 * controller PIE (RFC 8033, section 4). It finds the part at which as much is let in as the hub can do,
 * by how far the wait is from the bound and by how it changes; neither the hub's speed nor the load has
 * to be known.
 */

export interface Controller {
  /** The part that is turned away, from 0 to 1. */
  readonly refused: number
  /** Messages waited so long in the interval that has ended. */
  update(standing_ms: number, length_ms: number): void
}

/** Per second of wait beyond the bound, and per second that it has grown, each 100 ms. */
const alpha = 0.2
const beta = 2
const step_ms = 100
/** RFC 8033, section 4.2: what is left fades while hardly anything waits. */
const fading = 0.98
/** RFC 8033, section 4.1: below this, and while the wait is less than half of the bound, none is refused. */
const least = 0.2
/** After a pause nothing is known of the load. */
const pause_ms = 5_000

export function openController(bound_ms: number): Controller {
  let part = 0
  let last_ms = 0
  let isCalm = true
  return {
    get refused() {
      return isCalm && part < least ? 0 : part
    },
    update(standing_ms, length_ms) {
      if (length_ms >= pause_ms) {
        part = 0
        last_ms = 0
      }
      const beyond_s = (standing_ms - bound_ms) / 1_000
      const growth_s = (standing_ms - last_ms) / 1_000
      isCalm = standing_ms < bound_ms / 2 && last_ms < bound_ms / 2
      part += alpha * beyond_s * (length_ms / step_ms) + beta * growth_s
      part = Math.min(Math.max(part, 0), 1)
      if (isCalm) part *= fading ** (length_ms / step_ms)
      last_ms = standing_ms
    },
  }
}
