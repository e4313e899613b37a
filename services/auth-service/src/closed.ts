/**
 * An FSP that is CLOSED gets no token any more: its secrets end. Of the event and of the call that tell of
 * it either is enough. Any other state takes nothing away: what an FSP has reserved it must be able to
 * finish, and what it may begin is judged where it begins.
 */
import { onEvents } from '@causeway/events'
import { onParticipantStates } from '@causeway/participants'
import {
  retrying,
  type Database,
  type EventBus,
  type GrpcHost,
  type Logger,
  type Subscribed,
} from '@causeway/runtime'
import { endSecretsOf } from './credentials/secrets.ts'
import { closed } from './fsps.ts'

export interface ClosedParts {
  readonly db: Database
  readonly bus: EventBus
  readonly grpc: GrpcHost
  readonly log: Logger
  readonly signal: AbortSignal
}

const actor = 'participant-lifecycle'

export function endSecretsOfClosed(parts: ClosedParts): Promise<Subscribed> {
  const { bus, grpc, log, signal } = parts
  const end = ({ participantId, newState }: { participantId: string; newState: string }) =>
    newState === closed ? endSecretsOf(parts, participantId, actor) : Promise.resolve()
  onParticipantStates({ grpc, log }, 'auth-service', (change) => {
    retrying(() => end(change), { log, what: `end the secrets of ${change.participantId}`, signal })
      // The event has it done.
      .catch((error: unknown) => log.warn({ err: error }, 'secrets were not ended at once'))
  })
  return onEvents(bus, 'auth_service.states', ['ParticipantStateUpdated'], async (events) => {
    for (const { payload } of events) await end(payload)
  })
}
