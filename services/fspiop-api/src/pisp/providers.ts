/**
 * The participants that provide each service, by their type and registered callback addresses, or as
 * listed by the operator. One query is used for all requests within a second.
 */
import { callbackAddress, serviceType, type ServiceType } from '@causeway/fspiop'
import type { GrpcHost } from '@causeway/grpc'
import { StartError } from '@causeway/process'
import { participantsService, type Participant } from '@causeway/protos'

export interface Providers {
  /** All names in order; rejects while the participants cannot be read. */
  of(type: ServiceType): Promise<readonly string[]>
}

/** The operator's list, which replaces the providers found among the participants. */
export type ListedProviders = ReadonlyMap<ServiceType, readonly string[]>

const age_max_ms = 1_000

export function openProviders(
  grpc: GrpcHost,
  listed: ListedProviders,
  now_ms: () => number,
): Providers {
  const { GetParticipantInfo } = grpc.client(participantsService, 'participant-lifecycle')
  let asked:
    | { readonly at_ms: number; readonly participants: Promise<readonly Participant[]> }
    | undefined
  const ask = () => {
    const at_ms = now_ms()
    if (asked === undefined || at_ms - asked.at_ms >= age_max_ms || at_ms < asked.at_ms) {
      const participants = GetParticipantInfo({ names: [] }).then((list) => list.participants)
      participants.catch(() => {
        asked = undefined
      })
      asked = { at_ms, participants }
    }
    return asked.participants
  }
  return {
    async of(type) {
      return providersOf(type, await ask(), listed)
    },
  }
}

export function providersOf(
  type: ServiceType,
  participants: readonly Participant[],
  listed: ListedProviders,
): readonly string[] {
  const names = listed.get(type)
  return participants
    .filter(({ isActive, isHub }) => isActive && !isHub)
    .filter((participant) =>
      names === undefined ? serves(type, participant) : names.includes(participant.name),
    )
    .map(({ name }) => name)
    .toSorted()
}

/** Throws StartError for an invalid list. */
export function listedProviders(setting: string): ListedProviders {
  const listed = new Map<ServiceType, readonly string[]>()
  for (const entry of setting.split(';')) {
    const [word, ...names] = entry.split(' ').filter((one) => one !== '')
    if (word === undefined) continue
    const { data: type } = serviceType.safeParse(word)
    if (type === undefined || listed.has(type)) {
      const types = serviceType.options.join(', ')
      throw new StartError(
        `FSPIOP_API_PROVIDERS: '${entry.trim()}' does not begin with one of ${types}, each once.`,
      )
    }
    listed.set(type, names)
  }
  return listed
}

/** A DFSP with an address for consent requests accepts them; a PISP is one by its type. */
function serves(wanted: ServiceType, { type, endpoints }: Participant): boolean {
  const has = (name: string) => endpoints.some((endpoint) => endpoint.type === name)
  switch (wanted) {
    case 'AUTH_SERVICE':
      return type === 'AUTH_SERVICE'
    case 'THIRD_PARTY_DFSP':
      return type !== 'AUTH_SERVICE' && type !== 'PISP' && has('TP_CB_URL_CONSENT_REQUEST_POST')
    case 'PISP':
      if (type === 'AUTH_SERVICE') return false
      return type === 'PISP' ? isReachable(endpoints) : has('TP_CB_URL_CONSENT_REQUEST_PUT')
  }
}

function isReachable(endpoints: Participant['endpoints']): boolean {
  const byType = new Map(endpoints.map(({ type, value }) => [type, value]))
  const id = '00000000-0000-4000-8000-000000000000'
  const variables = { id, ID: id }
  return (
    callbackAddress(byType, 'PUT /consentRequests/{ID}', `/consentRequests/${id}`, variables) !==
    undefined
  )
}
