/**
 * Bounds on the requests at work, and on how far the hub may be behind with what it let in before. What
 * begins something new is turned away first. An answer is never refused for the load of others: each FSP
 * has a reserve of its own for answers, and half of it is for those that can finish reserved money.
 * Whatever one FSP does, it takes no more than its own part of the room of all: beyond that its
 * requests do not count against the others.
 */

import type { Shedding } from './shedding.ts'

export interface AdmissionBounds {
  readonly total_max: number
  readonly per_fsp_max: number
  readonly bytes_max: number
  readonly bytes_per_fsp_max: number
  /** Requests of one FSP at work, of whatever kind: each of them keeps a connection. */
  readonly connections_per_fsp_max: number
  /** The reserve of each FSP for its answers. */
  readonly answers_per_fsp_max: number
  readonly answer_bytes_per_fsp_max: number
}

/**
 * Which part of the bounds a request may use: half of the room for what asks, most for quotes, all for
 * transfers, so that load is shed in that order. Answers count for those bounds but are held only
 * against the reserve of their own FSP: an ANSWER may use half of it, a FINISH all of it.
 */
export type Share = 'HALF' | 'MOST' | 'WHOLE' | 'ANSWER' | 'FINISH'

export function isAnswer(share: Share): share is 'ANSWER' | 'FINISH' {
  return share === 'ANSWER' || share === 'FINISH'
}

export interface Admission {
  /** False when it is turned away; otherwise `leave` must follow with the same values. */
  enter(fspId: string, bytes: number, share: Share): boolean
  leave(fspId: string, bytes: number, share: Share): void
  readonly inFlight: number
  /** Requests at work here, by FSP. */
  atWork(): ReadonlyMap<string, number>
  /** So many of the FSP's are at work at other edges: they count for its bound, not for that of all. */
  atWorkElsewhere(fspId: string, requests: number): void
  /** Nothing is known of other edges any more. */
  aloneAgain(): void
}

/** Of the room. */
const parts: Readonly<Record<Exclude<Share, 'ANSWER' | 'FINISH'>, number>> = {
  HALF: 0.5,
  MOST: 0.75,
  WHOLE: 1,
}

/** Of the reserve for answers. */
const reserves = { ANSWER: 0.5, FINISH: 1 } as const

/** Of the connections of one FSP: the last ones are left to what can finish reserved money. */
const connectionParts = { ANSWER: 0.75, FINISH: 1 } as const

interface Use {
  requests: number
  bytes: number
}

interface FspUse extends Use {
  readonly answers: Use
}

export function openAdmission(
  bounds: AdmissionBounds,
  { sheds }: Pick<Shedding, 'sheds'>,
): Admission {
  const { total_max, per_fsp_max, bytes_max, bytes_per_fsp_max } = bounds
  const byFsp = new Map<string, FspUse>()
  const elsewhere = new Map<string, number>()
  /** Of each FSP at most what its bounds are. */
  const counted: Use = { requests: 0, bytes: 0 }
  let inFlight = 0

  function change(fspId: string, share: Share, own: FspUse, { requests, bytes }: Use): void {
    count(own, -1)
    own.requests += requests
    own.bytes += bytes
    if (isAnswer(share)) {
      own.answers.requests += requests
      own.answers.bytes += bytes
    }
    count(own, 1)
    if (own.requests > 0) byFsp.set(fspId, own)
    else byFsp.delete(fspId)
    inFlight += requests
  }

  function count({ requests, bytes }: Use, sign: 1 | -1): void {
    counted.requests += sign * Math.min(requests, per_fsp_max)
    counted.bytes += sign * Math.min(bytes, bytes_per_fsp_max)
  }

  function hasRoom(fspId: string, own: Use, bytes: number, share: keyof typeof parts): boolean {
    const part = parts[share]
    const ofFsp = own.requests + (elsewhere.size === 0 ? 0 : (elsewhere.get(fspId) ?? 0))
    if (ofFsp >= per_fsp_max * part || counted.requests >= total_max * part) return false
    if (own.bytes + bytes > bytes_per_fsp_max * part) return false
    return counted.bytes + bytes <= bytes_max * part
  }

  return {
    enter(fspId, bytes, share) {
      const own = byFsp.get(fspId) ?? noUse()
      const mayEnter = isAnswer(share)
        ? hasReserve(bounds, own, bytes, share)
        : hasRoom(fspId, own, bytes, share) && !sheds(fspId, share)
      if (mayEnter) change(fspId, share, own, { requests: 1, bytes })
      return mayEnter
    },
    leave(fspId, bytes, share) {
      change(fspId, share, byFsp.get(fspId) ?? noUse(), { requests: -1, bytes: -bytes })
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

function noUse(): FspUse {
  return { requests: 0, bytes: 0, answers: { requests: 0, bytes: 0 } }
}

function hasReserve(
  { connections_per_fsp_max, answers_per_fsp_max, answer_bytes_per_fsp_max }: AdmissionBounds,
  { requests, answers }: FspUse,
  bytes: number,
  share: keyof typeof reserves,
): boolean {
  const part = reserves[share]
  return (
    requests < connections_per_fsp_max * connectionParts[share] &&
    answers.requests < answers_per_fsp_max * part &&
    answers.bytes + bytes <= answer_bytes_per_fsp_max * part
  )
}
