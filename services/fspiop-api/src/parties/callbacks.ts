/** The callbacks of party lookups that no FSP can answer. FSPIOP 6.3. */
import type { DomainEvent, EventName } from '@causeway/events'
import { errorContent, type Callback } from '../callbacks/callback.ts'
import { callbackOf } from '../answers/party-path.ts'

/** The delivery of these callbacks is not reported. */
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
