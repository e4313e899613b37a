/**
 * A DFSP's request to the PISP for its user's signature of the terms. Third-Party API 1.0,
 * /thirdpartyRequests/authorizations.
 */
import { errorBody, putThirdpartyAuthorizations } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { openPendingRequests } from '../../pending-requests.ts'
import type { HubLink } from '../../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import { readSigned, type SignedPayload } from '../consent.ts'
import type { UserAnswer } from './payment.ts'

export interface AuthorizationOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly resendAfter_ms: number
}

export interface Authorizations {
  /** @param terms the body of the request without its id */
  ask(pispId: string, terms: object, until_ms: number): Promise<UserAnswer<SignedPayload>>
  readonly handlers: Pick<
    InboundHandlers,
    | 'PUT /thirdpartyRequests/authorizations/{ID}'
    | 'PUT /thirdpartyRequests/authorizations/{ID}/error'
  >
  close(): void
}

const path = '/thirdpartyRequests/authorizations'

export function openAuthorizations(options: AuthorizationOptions): Authorizations {
  const { name, hubName, link, resendAfter_ms } = options
  const pending = openPendingRequests<{ readonly pispId: string }, AnsweredAuthorization>(
    link,
    resendAfter_ms,
  )

  /** Undefined: the message is from the PISP that was asked, or from the hub. */
  function fault({ source }: Received, id: string): HandlerResult | undefined {
    const asked = pending.contextOf(id)
    if (asked === undefined) return 'NOT_MINE'
    if (source === asked.pispId || source === hubName) return undefined
    return { rejected: `${source} is not a party to the authorization` }
  }

  return {
    async ask(pispId, terms, until_ms) {
      const authorizationRequestId = randomUUID()
      const body = { authorizationRequestId, ...terms }
      // An equal request gets the same answer.
      const request = () => writeMessage('POST', path, { from: name, to: pispId }, body)
      const ended = await pending.send({
        key: authorizationRequestId,
        request: request(),
        until_ms,
        reminder: request,
        deadline_ms: until_ms,
        context: { pispId },
      })
      if (ended.state === 'ANSWERED') return ended.answer
      return { type: 'NONE', expired: ended.state === 'UNRESOLVED' }
    },
    handlers: {
      'PUT /thirdpartyRequests/authorizations/{ID}'(message) {
        const id = idOf(message)
        const wrong = fault(message, id)
        if (wrong !== undefined) return wrong
        const reading = bodyOf(putThirdpartyAuthorizations, message)
        if (!reading.ok) return { rejected: reading.detail }
        const body = reading.value
        if (body.responseType === 'REJECTED') {
          pending.answer(id, { state: 'ANSWERED', answer: { type: 'REJECTED' } })
          return 'HANDLED'
        }
        const signed = readSigned(body.signedPayload)
        if (signed === undefined) return { rejected: '/signedPayload: its payload is missing' }
        pending.answer(id, { state: 'ANSWERED', answer: { type: 'SIGNED', signed } })
        return 'HANDLED'
      },
      'PUT /thirdpartyRequests/authorizations/{ID}/error'(message) {
        const id = idOf(message)
        const wrong = fault(message, id)
        if (wrong !== undefined) return wrong
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { rejected: reading.detail }
        pending.answer(id, { state: 'ANSWERED', answer: { type: 'NONE', expired: false } })
        return 'HANDLED'
      },
    },
    close: () => pending.close(),
  }
}

interface AnsweredAuthorization {
  readonly state: 'ANSWERED'
  readonly answer: UserAnswer<SignedPayload>
}
