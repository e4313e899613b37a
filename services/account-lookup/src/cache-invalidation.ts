/**
 * Any process of this service may change the owner of a party: each process receives the events of
 * the others and drops the cached entries.
 */
import type { EventBus, Listener } from '@causeway/bus'
import { onBroadcast, type DomainEvent } from '@causeway/events'
import { readParty, type Party, type PartyName } from './domain/party.ts'

const changes = [
  'ParticipantAssociationCreated',
  'ParticipantAssociationRemoved',
  'ParticipantBatchAssociationProcessed',
] as const

type OwnershipEvent = DomainEvent<(typeof changes)[number]>

export function invalidateOnChanges(
  bus: EventBus,
  group: string,
  owners: { forget(party: Party): void },
): Promise<Listener> {
  return onBroadcast(bus, group, changes, {
    onEvents(events) {
      for (const reading of events.flatMap(partiesOf).map(readParty)) {
        if (reading.type === 'PARTY') owners.forget(reading.party)
      }
    },
    // A cached entry is never older than the bound `cacheAge_ms`.
    onMissed: () => undefined,
  })
}

function partiesOf(event: OwnershipEvent): readonly PartyName[] {
  if (event.name !== 'ParticipantBatchAssociationProcessed') return [event.payload]
  const { result } = event.payload
  return 'partyList' in result ? result.partyList.map(({ partyId }) => partyId) : []
}
