/**
 * Participants as a service knows them, cached. A service fetches a participant again before it
 * refuses anything because of the cached value. No decision about money may depend on this cache.
 */
import type { EventBus, Listener } from '@causeway/bus'
import { onBroadcast } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import { periodically, readThrough, type Logger } from '@causeway/process'
import { participantsService, type Participant as ParticipantMessage } from '@causeway/protos'

export interface Participant {
  readonly name: string
  readonly isActive: boolean
  /** Closed permanently: no message from it is accepted any more. */
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
  /** From the cache alone; undefined means not cached, not unknown. */
  peek(name: string): Participant | undefined
  /** Fetched now; concurrent calls for the same name share one request. */
  getFresh(name: string): Promise<Participant | undefined>
  /**
   * Unknown names are left out; a participant that does not satisfy `suffices` is fetched again
   * once.
   */
  get(
    names: readonly string[],
    suffices: (participant: Participant) => boolean,
  ): Promise<ReadonlyMap<string, Participant>>
  /** Rejects while participant-lifecycle does not answer. */
  ping(): Promise<void>
  stop(): Promise<void>
}

export interface ParticipantsParts {
  /** The name of the service's consumer group. */
  readonly group: string
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly log: Logger
  /** The greatest age of a cached participant, also when a change event was missed. */
  readonly age_max_ms: number
}

const participants_max = 10_000
/** Each of these events invalidates the cached participant. */
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
  const pending = new Map<string, Promise<Participant | undefined>>()

  async function load(names: readonly string[]): Promise<ReadonlyMap<string, Participant>> {
    const { participants } = await GetParticipantInfo({ names: [...names] })
    return participantsByName(participants)
  }

  function getFresh(name: string): Promise<Participant | undefined> {
    const request = pending.get(name)
    if (request !== undefined) return request
    const answer = cache
      .fresh([name])
      .then((found) => found.get(name))
      .finally(() => pending.delete(name))
    pending.set(name, answer)
    return answer
  }

  // Each process of the service has its own cache, so each must receive every change.
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
    { log: parts.log, name: 'renewing cached participants' },
  )
  return {
    peek: (name) => cache.peek(name),
    getFresh,
    async get(names, suffices) {
      const found = new Map(await cache.get(names))
      const insufficient = [...found.values()].filter((participant) => !suffices(participant))
      if (insufficient.length === 0) return found
      const fresh = await cache.fresh(insufficient.map(({ name }) => name))
      for (const { name } of insufficient) {
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

/** The hub is not an FSP: no message is sent in its name. */
function participantsByName(
  messages: readonly ParticipantMessage[],
): ReadonlyMap<string, Participant> {
  return new Map(
    messages
      .filter(({ isHub }) => !isHub)
      .map(({ name, isActive, stateName, endpoints, accounts }) => [
        name,
        {
          name,
          isActive,
          isClosed: stateName === 'CLOSED',
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
