/**
 * A new state of a participant is told at once to the services that keep something of participants,
 * beside the event of the same name, which reaches everybody even when a call fails.
 */
import {
  authServiceParticipantStatesService,
  notificationsParticipantStatesService,
  settlementsParticipantStatesService,
  transfersParticipantStatesService,
  type ParticipantStateChange,
} from '@causeway/protos'
import type { GrpcHost, Logger } from '@causeway/runtime'
import type { Participant } from './domain/participant.ts'

export interface TellingStates {
  /** In the background. */
  tell(participant: Participant, oldState: string): void
  /** Resolves when nothing is under way. */
  drained(): Promise<void>
}

export function openTellingStates(grpc: Pick<GrpcHost, 'client'>, log: Logger): TellingStates {
  const told = [
    grpc.client(transfersParticipantStatesService, 'transfers'),
    grpc.client(settlementsParticipantStatesService, 'settlements'),
    grpc.client(notificationsParticipantStatesService, 'notifications'),
    grpc.client(authServiceParticipantStatesService, 'auth-service'),
  ]
  const underWay = new Set<Promise<unknown>>()

  async function tellOne(
    service: (typeof told)[number],
    change: ParticipantStateChange,
  ): Promise<void> {
    try {
      await service.ParticipantStateUpdated(change)
    } catch (error) {
      log.warn({ err: error }, 'a service could not be told the state of a participant')
    }
  }

  return {
    tell(participant, oldState) {
      const change = changeOf(participant, oldState)
      const telling = Promise.all(told.map((service) => tellOne(service, change)))
      underWay.add(telling)
      void telling.finally(() => underWay.delete(telling))
    },
    async drained() {
      await Promise.all(underWay)
    },
  }
}

function changeOf(participant: Participant, oldState: string): ParticipantStateChange {
  return {
    participantId: participant.name,
    oldState,
    newState: participant.state,
    isActive: participant.isActive,
    version: participant.version,
    changedAt: new Date().toISOString(),
  }
}
