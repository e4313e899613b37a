/** The lanes of all FSPs and of the mail server; a lane is opened at its first message. */
import { openLane, type Lane, type LaneParts } from './lane.ts'
import type { Transport } from './transport.ts'

export interface Lanes {
  of(fspId: string): Lane
  /** The FSP has another address. */
  move(fspId: string): void
  /** Whether the FSP has changed its address since that time. */
  hasMovedSince(fspId: string, time_ms: number): boolean
  readonly idle: boolean
  close(): Promise<void>
}

export interface LanesParts extends LaneParts {
  readonly transportTo: (fspId: string) => Transport
}

export function openLanes(parts: LanesParts): Lanes {
  const lanes = new Map<string, Lane>()
  return {
    of(fspId) {
      let lane = lanes.get(fspId)
      if (lane === undefined) {
        lane = openLane(fspId, parts.transportTo(fspId), parts)
        lanes.set(fspId, lane)
      }
      return lane
    },
    move: (fspId) => lanes.get(fspId)?.move(),
    hasMovedSince: (fspId, time_ms) => time_ms <= (lanes.get(fspId)?.moved_ms ?? 0),
    get idle() {
      return [...lanes.values()].every(({ idle }) => idle)
    },
    async close() {
      await Promise.all([...lanes.values()].map((lane) => lane.close()))
    },
  }
}
