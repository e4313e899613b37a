/** Why a request could not be delivered to the payee FSP, for the error of the payer FSP. */
import type { ErrorInformation } from '@causeway/fspiop'

export interface Undelivered {
  readonly httpStatus: number | undefined
  readonly attempts: number
  /** The error in the payee FSP's refusal, or why no attempt was made. */
  readonly error: ErrorInformation | undefined
  /** Whether the request had expired when its delivery ended. */
  readonly isExpired: boolean
}

export type UndeliveredReason =
  | 'EXPIRED'
  | 'UNREACHABLE'
  | 'NOT_IMPLEMENTED'
  | 'VERSION_REFUSED'
  | 'REFUSED_WITHOUT_REASON'

/** The error in the payee FSP's response or of the edge, otherwise the meaning of its status. */
export function decideUndelivered(
  undelivered: Undelivered,
): UndeliveredReason | { readonly error: ErrorInformation } {
  const { httpStatus, attempts, error, isExpired } = undelivered
  if (httpStatus === 501) return 'NOT_IMPLEMENTED'
  if (httpStatus === undefined) {
    if (attempts === 0 && error !== undefined) return { error }
    return isExpired ? 'EXPIRED' : 'UNREACHABLE'
  }
  if (httpStatus < 400 || httpStatus >= 500) return 'UNREACHABLE'
  if (error !== undefined) return { error }
  return httpStatus === 406 ? 'VERSION_REFUSED' : 'REFUSED_WITHOUT_REASON'
}
