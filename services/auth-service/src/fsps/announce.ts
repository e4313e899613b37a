/** Announces that cached keys or credentials of an FSP are out of date. */
import type { EventBus } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'

export function announceChange(
  bus: EventBus,
  tx: Transaction,
  participantId: string,
  now: Date,
): void {
  const payload = { participantId, changedAt: now.toISOString() }
  bus.announce(tx, [newEvent('auth-service', 'ParticipantKeysUpdated', payload)])
}
