/**
 * Pushes a new participant state by gRPC to the services that cache participants, in addition to
 * the event of the same name, which arrives even when a call fails.
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
import type { Participant } from './domain/participant.ts'

export interface StatePusher {
  /** Runs in the background. */
  push(participant: Participant, oldState: string): void
  /** Resolves when no call is in progress. */
  drained(): Promise<void>
}

export function openStatePusher(grpc: Pick<GrpcHost, 'client'>, log: Logger): StatePusher {
  const receivers = [
    grpc.client(transfersParticipantStatesService, 'transfers'),
    grpc.client(settlementsParticipantStatesService, 'settlements'),
    grpc.client(notificationsParticipantStatesService, 'notifications'),
    grpc.client(authServiceParticipantStatesService, 'auth-service'),
  ]
  const underWay = new Set<Promise<unknown>>()

  async function pushTo(
    service: (typeof receivers)[number],
    change: ParticipantStateChange,
  ): Promise<void> {
    try {
      await service.ParticipantStateUpdated(change)
    } catch (error) {
      log.warn({ err: error }, 'a new participant state could not be pushed to a service')
    }
  }

  return {
    push(participant, oldState) {
      const change = changeOf(participant, oldState)
      const pushes = Promise.all(receivers.map((service) => pushTo(service, change)))
      underWay.add(pushes)
      void pushes.finally(() => underWay.delete(pushes))
    },
    async drained() {
      await Promise.all(underWay)
    },
  }
}

function changeOf(participant: Participant, oldState: string): ParticipantStateChange {
  return {
    participantId: participant.name,
    oldStateName: oldState,
    newStateName: participant.state,
    isActive: participant.isActive,
    version: participant.version,
    changedAt: new Date().toISOString(),
  }
}
