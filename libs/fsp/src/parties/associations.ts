/** Which customers the scheme knows to be this FSP's, told to the hub. FSPIOP 6.2. */
import { errorBody, putParticipant } from '@causeway/fspiop'
import { type Ended, openQuestions } from '../asking.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type Hear, type Hearers, type Received } from '../inbound.ts'
import { writeMessage } from '../message.ts'
import { takeTurns } from '../turns.ts'
import { type PartyId, partyIn, partyKey, partyPath } from './party.ts'

/** FAILED: the scheme has no place for parties of this type (3003), or the party is another FSP's. */
export type AssociationResult = Ended<{ readonly state: 'DONE' } | Failed>

export interface AssociationOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly silence_ms: number
  readonly patience_ms: number
}

export interface Associations {
  associate(party: PartyId, currency?: string): Promise<AssociationResult>
  disassociate(party: PartyId, currency?: string): Promise<AssociationResult>
  readonly hearers: Hearers
  close(): void
}

type Wish = 'POST' | 'DELETE'

export function openAssociations(options: AssociationOptions): Associations {
  const { name, hubName, link, silence_ms, patience_ms } = options
  const questions = openQuestions<Wish, { readonly state: 'DONE' } | Failed>(link, silence_ms)
  const takeTurn = takeTurns<AssociationResult>()

  /** Either may be said again without harm, so it is also its own reminder. */
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
    return takeTurn(key, `${wish} ${currency ?? ''}`, () => {
      const until_ms = Date.now() + patience_ms
      return questions.ask({
        key,
        request: request(),
        until_ms,
        reminder: request,
        deadline_ms: until_ms,
        context: wish,
      })
    })
  }

  const hear: Hear = (message) => {
    const reading = bodyOf(putParticipant, message)
    if (!reading.ok) return { disbelieved: reading.detail }
    if (message.source !== hubName) return { disbelieved: `${message.source} is not the hub` }
    const key = keyOf(message)
    const wish = questions.open(key)
    if (wish === undefined) return 'NOT_MINE'
    const { fspId } = reading.value
    if (fspId !== (wish === 'POST' ? name : undefined)) {
      return { disbelieved: '/fspId: it is not what was asked for' }
    }
    questions.answer(key, { state: 'DONE' })
    return 'HEARD'
  }

  const hearError: Hear = (message) => {
    const reading = bodyOf(errorBody, message)
    if (!reading.ok) return { disbelieved: reading.detail }
    if (message.source !== hubName) return { disbelieved: `${message.source} is not the hub` }
    questions.answer(keyOf(message), { state: 'FAILED', error: informationIn(reading.value) })
    return 'HEARD'
  }

  return {
    associate: (party, currency) => ask('POST', party, currency),
    disassociate: (party, currency) => ask('DELETE', party, currency),
    hearers: {
      'PUT /participants/{Type}/{ID}': hear,
      'PUT /participants/{Type}/{ID}/{SubId}': hear,
      'PUT /participants/{Type}/{ID}/error': hearError,
      'PUT /participants/{Type}/{ID}/{SubId}/error': hearError,
    },
    close: () => questions.close(),
  }
}

function keyOf({ parameters }: Received): string {
  return partyKey(partyIn(parameters))
}
