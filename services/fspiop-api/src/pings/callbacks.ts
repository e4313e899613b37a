/** The hub's own ping, by which an FSP sees that it can be reached and whom it hears. */
import type { DomainEvent, EventName } from '@causeway/events'
import { versionOf, type Leg } from '../legs.ts'

export const pingReports = {
  PingAccepted: 'PingCallbackReport',
} as const satisfies Partial<Record<EventName, EventName>>

export function pingLegs({ payload }: DomainEvent<'PingAccepted'>): readonly Leg[] {
  const { pingId, requesterFspId, version, receivedAt } = payload
  return [
    {
      name: 'REQUESTER PUT',
      role: 'REQUESTER',
      fspId: requesterFspId,
      entityId: pingId,
      resource: 'pings',
      method: 'PUT',
      operation: 'PUT /pings/{ID}',
      path: `/pings/${pingId}`,
      variables: { id: pingId, ID: pingId },
      content: { type: 'MADE', version: versionOf('pings', version), body: { receivedAt } },
      deadline: undefined,
    },
  ]
}
