/** What the hub delivers to PISP and DFSP, as they read it. */
import type { HttpRequest } from '@causeway/http'
import { fspAt } from '../messages.ts'

/** A message that the hub has delivered. */
export interface Heard {
  readonly to: string
  readonly from: string
  /** `PUT /consents`, without the id; with `/error` at its end. */
  readonly what: string
  readonly id: string
  readonly content: Content
}

export interface Content {
  readonly consentId?: string
  readonly consentRequestId?: string
  readonly transactionRequestId?: string
  readonly authorizationRequestId?: string
  readonly status?: string
  readonly revokedAt?: string
  readonly responseType?: string
  readonly signedPayload?: object
  readonly transactionState?: string
  readonly errorInformation?: { readonly errorCode: string }
}

export function heardIn({ method, url, headers, body }: HttpRequest): Heard {
  const address = new URL(url)
  const [, resource = '', ...rest] = address.pathname.split('/')
  const nested = resource === 'thirdpartyRequests' ? `/${rest.shift() ?? ''}` : ''
  const [id = '', error] = rest
  const text = body?.toString() ?? ''
  return {
    to: fspAt(address),
    from: headers['fspiop-source'] ?? '',
    what: `${method} /${resource}${nested}${error === undefined ? '' : '/error'}`,
    id,
    content: JSON.parse(text === '' ? '{}' : text) as Content,
  }
}
