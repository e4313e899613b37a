/** The hub's ping in reply, which shows an FSP that it is reachable and can verify the hub. */
import type { DomainEvent, EventName } from '@causeway/events'
import { versionOf, type Callback } from '../callbacks/callback.ts'

export const pingReports = {
  PingAccepted: 'PingCallbackReport',
} as const satisfies Partial<Record<EventName, EventName>>

export function pingCallbacks({ payload }: DomainEvent<'PingAccepted'>): readonly Callback[] {
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
      content: { type: 'CREATED', version: versionOf('pings', version), body: { receivedAt } },
      deadline: undefined,
    },
  ]
}
