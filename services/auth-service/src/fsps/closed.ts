/**
 * Ends all credentials of an FSP that becomes CLOSED: client secrets, so that it gets no more tokens,
 * certificates and keys. The change arrives as an event and as a gRPC call; either is enough. No other state ends any: an FSP
 * must be able to complete what it has reserved, and services check new requests themselves.
 */
import type { EventBus, Subscribed } from '@causeway/bus'
import { onEvents } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import { onParticipantStates } from '@causeway/participants'
import type { Database } from '@causeway/postgres'
import { retrying, type Logger } from '@causeway/process'
import { revokeCertificatesOf } from './credentials/registered.ts'
import { endSecretsOf } from './credentials/secrets.ts'
import { closed } from './find-fsp.ts'
import { endKeysOf } from './keys/serve.ts'

export interface ClosedParts {
  readonly db: Database
  readonly bus: EventBus
  readonly grpc: GrpcHost
  readonly log: Logger
  readonly signal: AbortSignal
}

const actor = 'participant-lifecycle'

export function endCredentialsOfClosed(parts: ClosedParts): Promise<Subscribed> {
  const { bus, grpc, log, signal } = parts
  const end = (participantId: string, state: string) =>
    state === closed ? endCredentialsOf(parts, participantId) : Promise.resolve()
  onParticipantStates({ grpc, log }, 'auth-service', (change) => {
    retrying(() => end(change.participantId, change.newStateName), {
      log,
      what: `end the credentials of ${change.participantId}`,
      signal,
    })
      // The event handler ends them.
      .catch((error: unknown) => log.warn({ err: error }, 'credentials were not ended at once'))
  })
  return onEvents(bus, 'auth_service.states', ['ParticipantStateUpdated'], async (events) => {
    for (const { payload } of events) await end(payload.participantId, payload.newState)
  })
}

async function endCredentialsOf(parts: ClosedParts, participant: string): Promise<void> {
  await endSecretsOf(parts, participant, actor)
  await revokeCertificatesOf(parts, { participant, actor })
  await endKeysOf(parts, participant, actor)
}
