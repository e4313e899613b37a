/**
 * Receives participant state changes by gRPC, in addition to the event of the same name, and so
 * sooner. A change that is not newer than the known version is ignored.
 */
import type { GrpcHost } from '@causeway/grpc'
import type { Logger } from '@causeway/process'
import {
  authServiceParticipantStatesService,
  notificationsParticipantStatesService,
  settlementsParticipantStatesService,
  transfersParticipantStatesService,
  type ParticipantStateChange,
} from '@causeway/protos'
import { LRUCache } from 'lru-cache'

export type StateReceiver = 'auth-service' | 'notifications' | 'settlements' | 'transfers'

/** Each receiving service has its own gRPC service definition. */
const services: Readonly<Record<StateReceiver, object>> = {
  'auth-service': authServiceParticipantStatesService,
  notifications: notificationsParticipantStatesService,
  settlements: settlementsParticipantStatesService,
  transfers: transfersParticipantStatesService,
}

/**
 * The newest version is remembered for so many participants; the least recently used is evicted.
 */
const known_max = 10_000

/** @param onChange is called once for each newer state */
export function onParticipantStates(
  { grpc, log }: { readonly grpc: Pick<GrpcHost, 'serve'>; readonly log: Logger },
  service: StateReceiver,
  onChange: (change: ParticipantStateChange) => void = () => undefined,
): void {
  const known = new LRUCache<string, number>({ max: known_max })
  // All four definitions have the same single method, so one type serves for all.
  grpc.serve(services[service] as typeof transfersParticipantStatesService, {
    ParticipantStateUpdated: (change) => {
      const { participantId, version, newStateName } = change
      const before = known.get(participantId) ?? 0
      if (version <= before) return Promise.resolve({ version: before })
      known.set(participantId, version)
      log.info({ participantId, version }, `the participant is ${newStateName}`)
      onChange(change)
      return Promise.resolve({ version })
    },
  })
}
