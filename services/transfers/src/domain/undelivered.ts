/**
 * A payee FSP that refuses POST /transfers itself: when that is as good as its PUT …/error. FSPIOP 3.2,
 * 6.7.2.
 */
import { errorInformation, type ErrorInformation } from '@causeway/fspiop'

/** How a POST /transfers reached the payee FSP, as far as it is judged. */
export interface RequestDelivery {
  readonly status: string
  readonly httpStatus?: number | undefined
  readonly attempts: number
  readonly errorInformation?: ErrorInformation | undefined
}

/** The payee FSP did not answer in time, or asks for the same request again: no refusal. */
const retryable: ReadonlySet<number> = new Set([408, 425, 429])

/**
 * The error for the payer FSP; undefined unless the payee FSP is known not to have taken the request.
 * Only the answer to the only attempt shows that: of an earlier one the answer may have been lost, and
 * a later refusal may be about the repetition alone.
 */
export function refusalIn(delivery: RequestDelivery): ErrorInformation | undefined {
  const { status, attempts, httpStatus = 0 } = delivery
  const refuses = httpStatus === 501 || (httpStatus >= 400 && httpStatus < 500)
  if (status !== 'FAILED' || attempts !== 1 || !refuses || retryable.has(httpStatus)) {
    return undefined
  }
  return delivery.errorInformation ?? errorOfStatus(httpStatus)
}

function errorOfStatus(httpStatus: number): ErrorInformation {
  switch (httpStatus) {
    case 406:
      return errorInformation('3001', 'the payee FSP does not support the version')
    case 501:
      return errorInformation('2002', 'the payee FSP does not serve transfers')
    default:
      return errorInformation('3000', `the payee FSP answered ${httpStatus}`)
  }
}
