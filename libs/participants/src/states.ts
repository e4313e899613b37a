/**
 * Being told at once when a participant comes into another state, beside the event of the same name: a
 * change that is not newer than what is known changes nothing.
 */
import {
  authServiceParticipantStatesService,
  notificationsParticipantStatesService,
  settlementsParticipantStatesService,
  transfersParticipantStatesService,
  type ParticipantStateChange,
} from '@causeway/protos'
import type { GrpcHost, Logger } from '@causeway/runtime'

export type ToldService = 'auth-service' | 'notifications' | 'settlements' | 'transfers'

/** Each of the services that are told has its own one. */
const services: Readonly<Record<ToldService, object>> = {
  'auth-service': authServiceParticipantStatesService,
  notifications: notificationsParticipantStatesService,
  settlements: settlementsParticipantStatesService,
  transfers: transfersParticipantStatesService,
}

/** Of so many participants the newest version is remembered; who was told longest ago is forgotten. */
const known_max = 10_000

/** @param onChange is called once for each newer state */
export function hearParticipantStates(
  { grpc, log }: { readonly grpc: Pick<GrpcHost, 'serve'>; readonly log: Logger },
  service: ToldService,
  onChange: (change: ParticipantStateChange) => void = () => undefined,
): void {
  const known = new Map<string, number>()
  // The four have the same one method, so that one of them stands for all.
  grpc.serve(services[service] as typeof transfersParticipantStatesService, {
    ParticipantStateUpdated: (change) => {
      const { participantId, version, newState } = change
      const before = known.get(participantId) ?? 0
      if (version <= before) return Promise.resolve({ version: before })
      known.delete(participantId)
      known.set(participantId, version)
      const [oldest] = known.keys()
      if (known.size > known_max && oldest !== undefined) known.delete(oldest)
      log.info({ participantId, version }, `the participant is ${newState}`)
      onChange(change)
      return Promise.resolve({ version })
    },
  })
}
