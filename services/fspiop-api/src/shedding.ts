/**
 * Turns away what the hub cannot do in time. How long messages take through the hub tells how much that
 * is; what begins less important work is turned away first, and of each kind that of the FSPs that ask
 * for most.
 */
import { openController, type Controller } from './controller.ts'
import { freshness, openFairShares, type FairShares } from './fair-shares.ts'
import { openFloodRate } from './flood-rate.ts'
import type { Floods } from './floods.ts'
import { openStanding } from './standing.ts'

/** By what it begins; see `Share` of admission. */
export type Shed = 'HALF' | 'MOST' | 'WHOLE'

export interface Shedding {
  /** An event of this name came in, which a message led to that was received so long ago. */
  noted(name: string, age_ms: number): void
  /** Whether a message of the FSP that begins such work is to be turned away. */
  sheds(fspId: string, shed: Shed): boolean
  /** How long even the quickest messages took lately, in milliseconds. */
  readonly standing_ms: number
}

/** Of the bound: each kind begins to be turned away where most of the one before it is. */
const boundOf: Readonly<Record<Shed, number>> = { HALF: 0.25, MOST: 0.5, WHOLE: 1 }

const interval_ms = 100

interface Valve {
  readonly controller: Pick<Controller, 'rate' | 'update'>
  readonly shares: FairShares
}

export function openShedding(
  standing_max_ms: number,
  floods: Pick<Floods, 'has' | 'any' | 'largestOther'>,
  now_ms: () => number,
): Shedding {
  const standing = openStanding()
  const valveOf = (shed: Shed): Valve => ({
    controller: openController(standing_max_ms * boundOf[shed]),
    shares: openFairShares(),
  })
  const valves = {
    FLOOD: { controller: openFloodRate(floods), shares: openFairShares(0) },
    HALF: valveOf('HALF'),
    MOST: valveOf('MOST'),
    WHOLE: valveOf('WHOLE'),
  }
  let begun_ms = now_ms()
  let standing_ms = 0
  let worked = 0
  let workedPerSecond = 0

  function update(): void {
    const passed_ms = now_ms() - begun_ms
    // A clock that was set back ends the interval, too.
    if (passed_ms >= 0 && passed_ms < interval_ms) return
    begun_ms += passed_ms
    standing_ms = standing.at(begun_ms)
    const length_ms = Math.max(passed_ms, interval_ms)
    workedPerSecond += freshness(length_ms) * ((worked * 1_000) / length_ms - workedPerSecond)
    worked = 0
    for (const { controller, shares } of Object.values(valves)) {
      const offered = shares.ended(length_ms)
      controller.update({ length_ms, standing_ms, offered, worked: workedPerSecond })
      shares.letIn(controller.rate)
    }
  }

  return {
    noted(name, age_ms) {
      standing.noted(name, age_ms, now_ms())
      worked += 1
    },
    sheds(fspId, shed) {
      update()
      return !valves[floods.has(fspId) ? 'FLOOD' : shed].shares.asks(fspId)
    },
    get standing_ms() {
      update()
      return standing_ms
    },
  }
}
