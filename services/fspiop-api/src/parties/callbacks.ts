/** What FSPs are told when nobody can be asked about a party. FSPIOP 6.3. */
import type { DomainEvent, EventName } from '@causeway/events'
import { errorContent, type Callback } from '../callback.ts'
import { callbackOf } from './path.ts'

/** Nobody keeps what became of these callbacks. */
export const partyReports = {
  PartyQueryResponse: null,
} as const satisfies Partial<Record<EventName, EventName | null>>

export function partyCallbacks({
  payload,
}: DomainEvent<keyof typeof partyReports>): readonly Callback[] {
  const { partyKey, requesterFspId, version, errorInformation } = payload
  return [
    {
      name: 'REQUESTER PUT error',
      role: 'REQUESTER',
      fspId: requesterFspId,
      entityId: partyKey,
      resource: 'parties',
      method: 'PUT',
      ...callbackOf('parties', true, payload),
      content: errorContent('parties', errorInformation, version),
      deadline: undefined,
    },
  ]
}
