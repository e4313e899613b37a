/** Reads errors from refusals and from error callbacks. FSPIOP 7.6. */
import { type ErrorBody, type ErrorInformation, errorInformation } from '@causeway/fspiop'
import type { HubAnswer } from './hub/transport.ts'

/** The end of a request that another FSP or the hub has answered with an error. */
export interface Failed {
  readonly state: 'FAILED'
  readonly error: ErrorInformation
}

/** The error in a refusal's body, or one that names the status. */
export function errorIn({ status, body }: HubAnswer): ErrorInformation {
  try {
    const { errorInformation: sent } = JSON.parse(body.toString()) as {
      readonly errorInformation: { readonly errorCode: unknown; readonly errorDescription: unknown }
    }
    if (typeof sent.errorCode === 'string' && typeof sent.errorDescription === 'string') {
      return { errorCode: sent.errorCode, errorDescription: sent.errorDescription }
    }
  } catch {
    // A body that is not an error of the API is reported by its status.
  }
  return errorInformation('3000', `the hub answered ${status}`)
}

/** The error of an error callback, without other members that its sender wrote there. */
export function informationIn({ errorInformation: sent }: ErrorBody): ErrorInformation {
  const { errorCode, errorDescription, extensionList } = sent
  return { errorCode, errorDescription, ...(extensionList && { extensionList }) }
}
