/**
 * Processes a batch of pings and of reports about the hub's pings: new pings are stored and their
 * answers announced in one transaction.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import { acceptedOf, callbacksOf, pingOf, type ReceivedPing } from './contract.ts'
import { newest } from './domain/ping.ts'
import { saveCallbacks, savePings, type PingKey } from './store.ts'

export const pingEvents = ['PingReceived', 'PingCallbackReport'] as const

export type PingEvent = DomainEvent<(typeof pingEvents)[number]>

export interface PingParts {
  readonly db: Database
  readonly bus: EventBus
  /** Called for each new ping after it is stored. */
  readonly onStored: (ping: ReceivedPing) => void
}

export function openPingHandle({ db, bus, onStored }: PingParts) {
  return async (events: readonly PingEvent[]): Promise<void> => {
    const pings = newest(
      events.flatMap((event) => (event.name === 'PingReceived' ? [pingOf(event)] : [])),
      ({ receivedAt }) => receivedAt,
    )
    const callbacks = newest(
      events.flatMap((event) => (event.name === 'PingCallbackReport' ? callbacksOf(event) : [])),
      ({ reportedAt }) => reportedAt,
    )
    const stored = await db.transaction(async (tx) => {
      const keys = pings.length === 0 ? [] : await savePings(tx, pings)
      if (callbacks.length > 0) await saveCallbacks(tx, callbacks)
      const fresh = pings.filter((ping) => keys.some((key) => isOf(key, ping)))
      bus.announce(tx, fresh.map(accepted))
      return fresh
    })
    stored.forEach(onStored)
  }
}

function isOf(key: PingKey, ping: ReceivedPing): boolean {
  return key.participant === ping.participant && key.pingId === ping.pingId
}

function accepted(ping: ReceivedPing): OutgoingMessage {
  const id = derivedId(ping.eventId, 'PingAccepted')
  return newEvent('auth-service', 'PingAccepted', acceptedOf(ping), { id })
}
