/**
 * A DFSP's question to the PISP's user: does the user sign these terms? Third-Party API 1.0,
 * /thirdpartyRequests/authorizations.
 */
import { errorBody, putThirdpartyAuthorizations } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { openQuestions } from '../../asking.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type Hearers, type Hearing, idOf, type Received } from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import { readSigned, type SignedPayload } from '../consent.ts'
import type { UserAnswer } from './payment.ts'

export interface AuthorizationOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly silence_ms: number
}

export interface Authorizations {
  /** @param terms the body of the request but for its id */
  ask(pispId: string, terms: object, until_ms: number): Promise<UserAnswer<SignedPayload>>
  readonly hearers: Pick<
    Hearers,
    | 'PUT /thirdpartyRequests/authorizations/{ID}'
    | 'PUT /thirdpartyRequests/authorizations/{ID}/error'
  >
  close(): void
}

const path = '/thirdpartyRequests/authorizations'

export function openAuthorizations(options: AuthorizationOptions): Authorizations {
  const { name, hubName, link, silence_ms } = options
  const questions = openQuestions<{ readonly pispId: string }, Answered>(link, silence_ms)

  /** Undefined: it is from whom was asked, or from the hub. */
  function fault({ source }: Received, id: string): Hearing | undefined {
    const asked = questions.open(id)
    if (asked === undefined) return 'NOT_MINE'
    if (source === asked.pispId || source === hubName) return undefined
    return { disbelieved: `${source} has no part in the authorization` }
  }

  return {
    async ask(pispId, terms, until_ms) {
      const authorizationRequestId = randomUUID()
      const body = { authorizationRequestId, ...terms }
      // The same request again is answered the same.
      const request = () => writeMessage('POST', path, { from: name, to: pispId }, body)
      const ended = await questions.ask({
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
    hearers: {
      'PUT /thirdpartyRequests/authorizations/{ID}'(message) {
        const id = idOf(message)
        const wrong = fault(message, id)
        if (wrong !== undefined) return wrong
        const reading = bodyOf(putThirdpartyAuthorizations, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        const body = reading.value
        if (body.responseType === 'REJECTED') {
          questions.answer(id, { state: 'ANSWERED', answer: { type: 'REJECTED' } })
          return 'HEARD'
        }
        const signed = readSigned(body.signedPayload)
        if (signed === undefined) return { disbelieved: '/signedPayload: its payload is missing' }
        questions.answer(id, { state: 'ANSWERED', answer: { type: 'SIGNED', signed } })
        return 'HEARD'
      },
      'PUT /thirdpartyRequests/authorizations/{ID}/error'(message) {
        const id = idOf(message)
        const wrong = fault(message, id)
        if (wrong !== undefined) return wrong
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        questions.answer(id, { state: 'ANSWERED', answer: { type: 'NONE', expired: false } })
        return 'HEARD'
      },
    },
    close: () => questions.close(),
  }
}

interface Answered {
  readonly state: 'ANSWERED'
  readonly answer: UserAnswer<SignedPayload>
}
