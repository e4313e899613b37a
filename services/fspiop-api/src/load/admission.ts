/**
 * Admission control: bounds on the requests in progress and on the delay of requests that were
 * admitted before. Requests that begin something new are refused first. An answer is never refused
 * for the load of others: each FSP has a reserve of its own for answers, and only answers that can
 * complete a transfer may use all of it. The requests of one FSP beyond its own bound do not count
 * against the others.
 */

import type { Shedding } from './shedding.ts'

export interface AdmissionBounds {
  readonly total_max: number
  readonly per_fsp_max: number
  readonly bytes_max: number
  readonly bytes_per_fsp_max: number
  /** Requests of one FSP in progress, of any kind: each of them occupies a connection. */
  readonly connections_per_fsp_max: number
  /** The reserve of each FSP for its answers. */
  readonly answers_per_fsp_max: number
  readonly answer_bytes_per_fsp_max: number
}

/**
 * The fraction of the bounds that a request may use: LOOKUP half, QUOTE three quarters, TRANSFER all,
 * so that load is shed in that order. LOOKUP is also the priority of all other requests. Answers
 * count towards those bounds but are checked only against the reserve of their own FSP: an ANSWER may
 * use half of it, a COMPLETION, which can complete a transfer, all of it.
 */
export type Priority = 'LOOKUP' | 'QUOTE' | 'TRANSFER' | 'ANSWER' | 'COMPLETION'

export function isAnswer(priority: Priority): priority is 'ANSWER' | 'COMPLETION' {
  return priority === 'ANSWER' || priority === 'COMPLETION'
}

export interface Admission {
  /** False when it is refused; otherwise `leave` must follow with the same values. */
  enter(fspId: string, bytes: number, priority: Priority): boolean
  leave(fspId: string, bytes: number, priority: Priority): void
  readonly inFlight: number
  /** The FSP's requests in progress at this edge. */
  inProgressOf(fspId: string): number
  /** Requests in progress at this edge, by FSP. */
  inProgress(): ReadonlyMap<string, number>
  /** The FSP's requests in progress at other edges; they count towards its bound only. */
  setInProgressElsewhere(fspId: string, requests: number): void
  /** Other bounds apply from now on. */
  setBounds(bounds: AdmissionBounds): void
  /** The counts of other edges are no longer available. */
  forgetOtherEdges(): void
}

/** Of the bounds for all requests. */
const fractions: Readonly<Record<Exclude<Priority, 'ANSWER' | 'COMPLETION'>, number>> = {
  LOOKUP: 0.5,
  QUOTE: 0.75,
  TRANSFER: 1,
}

/** Of the reserve for answers. */
const reserveFractions = { ANSWER: 0.5, COMPLETION: 1 } as const

/**
 * Of the connections of one FSP: the last quarter is reserved for messages that complete transfers.
 */
const connectionFractions = { ANSWER: 0.75, COMPLETION: 1 } as const

interface Use {
  requests: number
  bytes: number
}

interface FspUse extends Use {
  readonly answers: Use
}

export function openAdmission(
  initialBounds: AdmissionBounds,
  { sheds }: Pick<Shedding, 'sheds'>,
): Admission {
  let bounds = initialBounds
  const byFsp = new Map<string, FspUse>()
  const elsewhere = new Map<string, number>()
  /** Of each FSP at most its own bounds. */
  const counted: Use = { requests: 0, bytes: 0 }
  let inFlight = 0

  function change(fspId: string, priority: Priority, own: FspUse, { requests, bytes }: Use): void {
    count(counted, own, bounds, -1)
    own.requests += requests
    own.bytes += bytes
    if (isAnswer(priority)) {
      own.answers.requests += requests
      own.answers.bytes += bytes
    }
    count(counted, own, bounds, 1)
    if (own.requests > 0) byFsp.set(fspId, own)
    else byFsp.delete(fspId)
    inFlight += requests
  }

  function hasRoom(
    fspId: string,
    own: Use,
    bytes: number,
    priority: keyof typeof fractions,
  ): boolean {
    const { total_max, per_fsp_max, bytes_max, bytes_per_fsp_max } = bounds
    const fraction = fractions[priority]
    const ofFsp = own.requests + (elsewhere.size === 0 ? 0 : (elsewhere.get(fspId) ?? 0))
    if (ofFsp >= per_fsp_max * fraction || counted.requests >= total_max * fraction) return false
    if (own.bytes + bytes > bytes_per_fsp_max * fraction) return false
    return counted.bytes + bytes <= bytes_max * fraction
  }

  return {
    enter(fspId, bytes, priority) {
      const own = byFsp.get(fspId) ?? noUse()
      const mayEnter = isAnswer(priority)
        ? hasReserve(bounds, own, bytes, priority)
        : hasRoom(fspId, own, bytes, priority) && !sheds(fspId, priority)
      if (mayEnter) change(fspId, priority, own, { requests: 1, bytes })
      return mayEnter
    },
    leave(fspId, bytes, priority) {
      change(fspId, priority, byFsp.get(fspId) ?? noUse(), { requests: -1, bytes: -bytes })
    },
    get inFlight() {
      return inFlight
    },
    inProgressOf: (fspId) => byFsp.get(fspId)?.requests ?? 0,
    inProgress: () => new Map([...byFsp].map(([fspId, { requests }]) => [fspId, requests])),
    setInProgressElsewhere(fspId, requests) {
      if (requests > 0) elsewhere.set(fspId, requests)
      else elsewhere.delete(fspId)
    },
    setBounds(next) {
      bounds = next
      Object.assign(counted, { requests: 0, bytes: 0 })
      for (const own of byFsp.values()) count(counted, own, bounds, 1)
    },
    forgetOtherEdges: () => elsewhere.clear(),
  }
}

/** The requests of an FSP count up to its own bounds. */
function count(
  counted: Use,
  { requests, bytes }: Use,
  { per_fsp_max, bytes_per_fsp_max }: AdmissionBounds,
  sign: 1 | -1,
): void {
  counted.requests += sign * Math.min(requests, per_fsp_max)
  counted.bytes += sign * Math.min(bytes, bytes_per_fsp_max)
}

function noUse(): FspUse {
  return { requests: 0, bytes: 0, answers: { requests: 0, bytes: 0 } }
}

function hasReserve(
  { connections_per_fsp_max, answers_per_fsp_max, answer_bytes_per_fsp_max }: AdmissionBounds,
  { requests, answers }: FspUse,
  bytes: number,
  priority: keyof typeof reserveFractions,
): boolean {
  const fraction = reserveFractions[priority]
  return (
    requests < connections_per_fsp_max * connectionFractions[priority] &&
    answers.requests < answers_per_fsp_max * fraction &&
    answers.bytes + bytes <= answer_bytes_per_fsp_max * fraction
  )
}
