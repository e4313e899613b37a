/**
 * Bounds on the requests at work. What begins something new is turned away first; a message that can
 * finish reserved money never is.
 */

export interface AdmissionBounds {
  readonly total_max: number
  readonly per_fsp_max: number
  readonly bytes_max: number
}

/** Which part of the bounds a request may use; NEVER_REFUSED counts and is let in. */
export type Share = 'HALF' | 'WHOLE' | 'NEVER_REFUSED'

export interface Admission {
  /** False when it is turned away; otherwise `leave` must follow with the same values. */
  enter(fspId: string, bytes: number, share: Share): boolean
  leave(fspId: string, bytes: number): void
  readonly inFlight: number
}

const parts = { HALF: 0.5, WHOLE: 1, NEVER_REFUSED: Infinity } as const satisfies Readonly<
  Record<Share, number>
>

export function openAdmission({ total_max, per_fsp_max, bytes_max }: AdmissionBounds): Admission {
  const byFsp = new Map<string, number>()
  let total = 0
  let bytesTotal = 0
  return {
    enter(fspId, bytes, share) {
      const part = parts[share]
      const ofFsp = byFsp.get(fspId) ?? 0
      if (total >= total_max * part || ofFsp >= per_fsp_max * part) return false
      if (bytesTotal + bytes > bytes_max * part) return false
      byFsp.set(fspId, ofFsp + 1)
      total += 1
      bytesTotal += bytes
      return true
    },
    leave(fspId, bytes) {
      const ofFsp = byFsp.get(fspId) ?? 0
      if (ofFsp > 1) byFsp.set(fspId, ofFsp - 1)
      else byFsp.delete(fspId)
      total -= 1
      bytesTotal -= bytes
    },
    get inFlight() {
      return total
    },
  }
}
