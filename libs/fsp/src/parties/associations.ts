/** Registers at the scheme which customers are this FSP's. FSPIOP 6.2. */
import { errorBody, putParticipant } from '@causeway/fspiop'
import { type TimedResult, openPendingRequests } from '../pending-requests.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type InboundHandler, type InboundHandlers, type Received } from '../inbound.ts'
import { writeMessage } from '../message.ts'
import { serializeByKey } from '../serialize.ts'
import { type PartyId, partyIn, partyKey, partyPath } from './party.ts'

/** FAILED: the scheme supports no parties of this type (3003), or the party is another FSP's. */
export type AssociationResult = TimedResult<{ readonly state: 'DONE' } | Failed>

export interface AssociationOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly resendAfter_ms: number
  readonly answerTimeout_ms: number
}

export interface Associations {
  associate(party: PartyId, currency?: string): Promise<AssociationResult>
  disassociate(party: PartyId, currency?: string): Promise<AssociationResult>
  readonly handlers: InboundHandlers
  close(): void
}

type Wish = 'POST' | 'DELETE'

export function openAssociations(options: AssociationOptions): Associations {
  const { name, hubName, link, resendAfter_ms, answerTimeout_ms } = options
  const pending = openPendingRequests<Wish, { readonly state: 'DONE' } | Failed>(
    link,
    resendAfter_ms,
  )
  const serialize = serializeByKey<AssociationResult>()

  /** Both requests are idempotent, so each may be resent unchanged. */
  function ask(wish: Wish, party: PartyId, currency: string | undefined) {
    const path = partyPath('participants', party)
    const route = { from: name }
    const chosen = currency === undefined ? {} : { currency }
    const query = currency === undefined ? '' : `?currency=${encodeURIComponent(currency)}`
    const request = () =>
      wish === 'POST'
        ? writeMessage('POST', path, route, { fspId: name, ...chosen })
        : writeMessage('DELETE', path + query, route)
    const key = partyKey(party)
    return serialize(key, `${wish} ${currency ?? ''}`, () => {
      const until_ms = Date.now() + answerTimeout_ms
      return pending.send({
        key,
        request: request(),
        until_ms,
        reminder: request,
        deadline_ms: until_ms,
        context: wish,
      })
    })
  }

  const handle: InboundHandler = (message) => {
    const reading = bodyOf(putParticipant, message)
    if (!reading.ok) return { rejected: reading.detail }
    if (message.source !== hubName) return { rejected: `${message.source} is not the hub` }
    const key = keyOf(message)
    const wish = pending.contextOf(key)
    if (wish === undefined) return 'NOT_MINE'
    const { fspId } = reading.value
    if (fspId !== (wish === 'POST' ? name : undefined)) {
      return { rejected: '/fspId: it is not the one that was requested' }
    }
    pending.answer(key, { state: 'DONE' })
    return 'HANDLED'
  }

  const handleError: InboundHandler = (message) => {
    const reading = bodyOf(errorBody, message)
    if (!reading.ok) return { rejected: reading.detail }
    if (message.source !== hubName) return { rejected: `${message.source} is not the hub` }
    pending.answer(keyOf(message), { state: 'FAILED', error: informationIn(reading.value) })
    return 'HANDLED'
  }

  return {
    associate: (party, currency) => ask('POST', party, currency),
    disassociate: (party, currency) => ask('DELETE', party, currency),
    handlers: {
      'PUT /participants/{Type}/{ID}': handle,
      'PUT /participants/{Type}/{ID}/{SubId}': handle,
      'PUT /participants/{Type}/{ID}/error': handleError,
      'PUT /participants/{Type}/{ID}/{SubId}/error': handleError,
    },
    close: () => pending.close(),
  }
}

function keyOf({ parameters }: Received): string {
  return partyKey(partyIn(parameters))
}
