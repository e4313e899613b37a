/**
 * Where FSPs want their callbacks now. A callback leaves for the first time with the address that its
 * sender found; each further attempt goes to the current one, so that what waits for an FSP that has
 * moved, or is sent again after that, arrives.
 */
import { onEvents, type DomainEvent } from '@causeway/events'
import type { Database, EventBus, Subscribed } from '@causeway/runtime'
import { readAddresses, saveAddresses } from './addresses-store.ts'
import { currentUrl } from './domain/address.ts'
import type { Claimed } from './store.ts'

/** @param onChanged is called with each FSP that has changed where it wants its callbacks */
export function hearAddresses(
  db: Database,
  bus: EventBus,
  onChanged: (fspId: string) => void,
): Promise<Subscribed> {
  const heard = ['ParticipantEndpointsUpdated'] as const
  return onEvents(bus, 'notifications.addresses', heard, async (events) => {
    await saveAddresses(db, events.map(saidIn))
    for (const fspId of new Set(events.map(({ payload }) => payload.participantId))) {
      onChanged(fspId)
    }
  })
}

function saidIn({ payload }: DomainEvent<'ParticipantEndpointsUpdated'>) {
  const { participantId: fspId, version, endpoints } = payload
  return { fspId, version, endpoints }
}

/** Those that were claimed for a further attempt, with the addresses of today. */
export async function readdressed(
  db: Database,
  claimed: readonly Claimed[],
): Promise<readonly Claimed[]> {
  const movable = claimed.filter(({ notification }) => notification.request.address !== undefined)
  if (movable.length === 0) return claimed
  const fspIds = [...new Set(movable.map(({ notification }) => notification.fspId))]
  const known = await readAddresses(db, fspIds)
  return known.size === 0
    ? claimed
    : claimed.map((each) => ({ ...each, notification: moved(each.notification, known) }))
}

function moved(
  notification: Claimed['notification'],
  known: Awaited<ReturnType<typeof readAddresses>>,
): Claimed['notification'] {
  const { request, fspId } = notification
  const { transport, address } = request
  if (transport.type !== 'HTTP') return notification
  const url = currentUrl(transport.url, address, known.get(fspId))
  return { ...notification, request: { ...request, transport: { ...transport, url } } }
}
