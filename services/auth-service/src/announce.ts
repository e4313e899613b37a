/** Announces that cached keys or credentials of an FSP are out of date. */
import { newEvent } from '@causeway/events'
import type { EventBus, Transaction } from '@causeway/runtime'

export function announceChange(
  bus: EventBus,
  tx: Transaction,
  participantId: string,
  now: Date,
): void {
  const payload = { participantId, changedAt: now.toISOString() }
  bus.announce(tx, [newEvent('auth-service', 'ParticipantKeysUpdated', payload)])
}
