/** Why a request could not be delivered to the payee FSP, for the error of the payer FSP. */
import type { ErrorInformation } from '@causeway/fspiop'

export interface Undelivered {
  readonly httpStatus: number | undefined
  readonly attempts: number
  /** The error in the payee FSP's refusal. */
  readonly error: ErrorInformation | undefined
}

/** NO_ADDRESS: no attempt was made, since there is no address. */
export type UndeliveredReason =
  | 'NO_ADDRESS'
  | 'UNREACHABLE'
  | 'NOT_IMPLEMENTED'
  | 'VERSION_REFUSED'
  | 'REFUSED_WITHOUT_REASON'

/** The error in the payee FSP's response, otherwise the meaning of its status. */
export function decideUndelivered(
  undelivered: Undelivered,
): UndeliveredReason | { readonly error: ErrorInformation } {
  const { httpStatus, attempts, error } = undelivered
  if (httpStatus === 501) return 'NOT_IMPLEMENTED'
  if (httpStatus === undefined) return attempts === 0 ? 'NO_ADDRESS' : 'UNREACHABLE'
  if (httpStatus < 400 || httpStatus >= 500) return 'UNREACHABLE'
  if (error !== undefined) return { error }
  return httpStatus === 406 ? 'VERSION_REFUSED' : 'REFUSED_WITHOUT_REASON'
}
