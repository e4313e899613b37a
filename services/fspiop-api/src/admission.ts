/**
 * Bounds on the requests at work, and on how far the hub may be behind with what it let in before. What
 * begins something new is turned away first; a message that can finish reserved money never is.
 * Whatever one FSP does, it takes no more than its own part of the room of all: beyond that its
 * requests do not count against the others.
 */

export interface AdmissionBounds {
  readonly total_max: number
  readonly per_fsp_max: number
  readonly bytes_max: number
  readonly bytes_per_fsp_max: number
  /** So far behind the hub may be before transfers are turned away, the more the further; at twice all. */
  readonly standing_max_ms: number
}

export interface AdmissionParts {
  /** How far the hub is behind. */
  readonly standing_ms: () => number
  /** From 0 to 1. */
  readonly random: () => number
}

/**
 * Which part of the bounds a request may use: half of the room for what asks, most for quotes, all for
 * transfers, so that load is shed in that order. NEVER_REFUSED counts and is let in.
 */
export type Share = 'HALF' | 'MOST' | 'WHOLE' | 'NEVER_REFUSED'

export interface Admission {
  /** False when it is turned away; otherwise `leave` must follow with the same values. */
  enter(fspId: string, bytes: number, share: Share): boolean
  leave(fspId: string, bytes: number): void
  readonly inFlight: number
  /** Requests at work here, by FSP. */
  atWork(): ReadonlyMap<string, number>
  /** So many of the FSP's are at work at other edges: they count for its bound, not for that of all. */
  atWorkElsewhere(fspId: string, requests: number): void
  /** Nothing is known of other edges any more. */
  aloneAgain(): void
}

/**
 * Of the room, and of how far the hub may be behind. By that each kind begins to be turned away where
 * all of the one before it is.
 */
const parts: Readonly<Record<Share, { readonly room: number; readonly standing: number }>> = {
  HALF: { room: 0.5, standing: 0.25 },
  MOST: { room: 0.75, standing: 0.5 },
  WHOLE: { room: 1, standing: 1 },
  NEVER_REFUSED: { room: Infinity, standing: Infinity },
}

interface Use {
  requests: number
  bytes: number
}

export function openAdmission(
  bounds: AdmissionBounds,
  { standing_ms, random }: AdmissionParts,
): Admission {
  const { total_max, per_fsp_max, bytes_max, bytes_per_fsp_max, standing_max_ms } = bounds
  const byFsp = new Map<string, Use>()
  const elsewhere = new Map<string, number>()
  /** Of each FSP at most what its bounds are. */
  const counted: Use = { requests: 0, bytes: 0 }
  let inFlight = 0

  /** A part of them, so that what is let in finds its way between all and nothing. */
  function isShed(share: Share): boolean {
    const from_ms = standing_max_ms * parts[share].standing
    const beyond_ms = standing_ms() - from_ms
    return beyond_ms > 0 && random() < beyond_ms / from_ms
  }

  function useOf(fspId: string): Use {
    return byFsp.get(fspId) ?? { requests: 0, bytes: 0 }
  }

  function change(fspId: string, own: Use, requests: number, bytes: number): void {
    count(own, -1)
    own.requests += requests
    own.bytes += bytes
    count(own, 1)
    if (own.requests > 0) byFsp.set(fspId, own)
    else byFsp.delete(fspId)
    inFlight += requests
  }

  function count({ requests, bytes }: Use, sign: 1 | -1): void {
    counted.requests += sign * Math.min(requests, per_fsp_max)
    counted.bytes += sign * Math.min(bytes, bytes_per_fsp_max)
  }

  return {
    enter(fspId, bytes, share) {
      const part = parts[share].room
      const own = useOf(fspId)
      const ofFsp = own.requests + (elsewhere.size === 0 ? 0 : (elsewhere.get(fspId) ?? 0))
      if (ofFsp >= per_fsp_max * part || counted.requests >= total_max * part) return false
      if (own.bytes + bytes > bytes_per_fsp_max * part) return false
      if (counted.bytes + bytes > bytes_max * part) return false
      if (isShed(share)) return false
      change(fspId, own, 1, bytes)
      return true
    },
    leave(fspId, bytes) {
      change(fspId, useOf(fspId), -1, -bytes)
    },
    get inFlight() {
      return inFlight
    },
    atWork: () => new Map([...byFsp].map(([fspId, { requests }]) => [fspId, requests])),
    atWorkElsewhere(fspId, requests) {
      if (requests > 0) elsewhere.set(fspId, requests)
      else elsewhere.delete(fspId)
    },
    aloneAgain: () => elsewhere.clear(),
  }
}
