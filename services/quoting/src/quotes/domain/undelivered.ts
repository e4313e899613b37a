/** Why a payee FSP has not been asked though the hub tried, in the words that the payer FSP is told. */
import type { ErrorInformation } from './quote.ts'

export interface Undelivered {
  readonly httpStatus: number | undefined
  readonly attempts: number
  /** What the payee FSP wrote into its refusal. */
  readonly error: ErrorInformation | undefined
}

/** NO_ADDRESS: it was never tried, because there is no address to try. */
export type UndeliveredReason =
  'NO_ADDRESS' | 'UNREACHABLE' | 'NOT_IMPLEMENTED' | 'VERSION_REFUSED' | 'REFUSED_WITHOUT_REASON'

/** The error that the payee FSP gave, else what its answer means. */
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
