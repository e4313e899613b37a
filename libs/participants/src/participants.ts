/**
 * What a service knows of participants: from memory while nothing has changed, and asked once afresh
 * before anything is refused because of it. No decision about money may rest on it.
 */
import { onBroadcast } from '@causeway/events'
import { participantsService, type Participant as Told } from '@causeway/protos'
import {
  periodically,
  readThrough,
  type EventBus,
  type GrpcHost,
  type Listener,
  type Logger,
} from '@causeway/runtime'

export interface Participant {
  readonly name: string
  readonly isActive: boolean
  /** For good: nothing is taken from it any more. */
  readonly isClosed: boolean
  /** Values by endpoint type. */
  readonly endpoints: ReadonlyMap<string, string>
  readonly accounts: readonly ParticipantAccount[]
}

export interface ParticipantAccount {
  readonly ledgerAccountType: string
  readonly currency: string
  readonly isActive: boolean
}

export interface Participants {
  /** From memory alone; undefined says nothing. */
  peek(name: string): Participant | undefined
  /** Asked now, one question for all who ask at the same time. */
  askAfresh(name: string): Promise<Participant | undefined>
  /** Unknown names are left out; what `suffices` not is asked afresh once. */
  get(
    names: readonly string[],
    suffices: (participant: Participant) => boolean,
  ): Promise<ReadonlyMap<string, Participant>>
  /** Rejects while the service that knows them does not answer. */
  ping(): Promise<void>
  stop(): Promise<void>
}

export interface ParticipantsParts {
  /** The service, as its consumer group is called. */
  readonly group: string
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly log: Logger
  /** What is known is never older, whether or not a change was heard. */
  readonly age_max_ms: number
}

const participants_max = 10_000
/** Of a change only this matters: what is known of the participant is no longer true. */
const changes = [
  'ParticipantCreated',
  'ParticipantStateUpdated',
  'ParticipantEndpointsUpdated',
  'ParticipantAccountAdded',
  'ParticipantAccountEnabled',
  'ParticipantAccountDisabled',
] as const

export async function openParticipants(parts: ParticipantsParts): Promise<Participants> {
  const { GetParticipantInfo } = parts.grpc.client(participantsService, 'participant-lifecycle')
  const cache = readThrough<Participant>({ entries_max: participants_max, load })
  const asking = new Map<string, Promise<Participant | undefined>>()

  async function load(names: readonly string[]): Promise<ReadonlyMap<string, Participant>> {
    const { participants } = await GetParticipantInfo({ names: [...names] })
    return participantsByName(participants)
  }

  function askAfresh(name: string): Promise<Participant | undefined> {
    const asked = asking.get(name)
    if (asked !== undefined) return asked
    const answer = cache
      .fresh([name])
      .then((found) => found.get(name))
      .finally(() => asking.delete(name))
    asking.set(name, answer)
    return answer
  }

  // Each process of the service has a memory of its own, so each has to hear of every change.
  const listener: Listener = await onBroadcast(parts.bus, parts.group, changes, {
    onEvents(events) {
      for (const { payload } of events) cache.forget(payload.participantId)
    },
    onMissed: () => cache.clear(),
  })
  const renewal = periodically(
    parts.age_max_ms,
    () => {
      cache.clear()
      return Promise.resolve()
    },
    { log: parts.log, name: 'renewal of what is known of participants' },
  )
  return {
    peek: (name) => cache.peek(name),
    askAfresh,
    async get(names, suffices) {
      const found = new Map(await cache.get(names))
      const doubtful = [...found.values()].filter((participant) => !suffices(participant))
      if (doubtful.length === 0) return found
      const fresh = await cache.fresh(doubtful.map(({ name }) => name))
      for (const { name } of doubtful) {
        const participant = fresh.get(name)
        if (participant === undefined) found.delete(name)
        else found.set(name, participant)
      }
      return found
    },
    async ping() {
      await GetParticipantInfo({ names: ['-'] })
    },
    async stop() {
      await renewal.stop()
      await listener.stop()
    },
  }
}

/** The hub is no FSP: nobody speaks in its name. */
function participantsByName(told: readonly Told[]): ReadonlyMap<string, Participant> {
  return new Map(
    told
      .filter(({ isHub }) => !isHub)
      .map(({ name, isActive, state, endpoints, accounts }) => [
        name,
        {
          name,
          isActive,
          isClosed: state === 'CLOSED',
          endpoints: new Map(endpoints.map(({ type, value }) => [type, value])),
          accounts: accounts.map(({ ledgerAccountType, currency, isActive: active }) => ({
            ledgerAccountType,
            currency,
            isActive: active,
          })),
        },
      ]),
  )
}
