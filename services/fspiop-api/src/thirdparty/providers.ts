/**
 * Which participants serve what, by what they are and by the callbacks that they have an address for. One
 * question answers all who ask within a second.
 */
import { callbackAddress, type ServiceType } from '@causeway/fspiop'
import { participantsService, type Participant } from '@causeway/protos'
import type { GrpcHost } from '@causeway/runtime'

export interface Providers {
  /** Their names in order, at most 256; rejects while the participants cannot be read. */
  of(type: ServiceType): Promise<readonly string[]>
}

const age_max_ms = 1_000
/** Of the data model. */
const providers_max = 256

export function openProviders(grpc: GrpcHost, now_ms: () => number): Providers {
  const { GetParticipantInfo } = grpc.client(participantsService, 'participant-lifecycle')
  let asked:
    { readonly at_ms: number; readonly participants: Promise<readonly Participant[]> } | undefined
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
      return providersOf(type, await ask())
    },
  }
}

export function providersOf(
  type: ServiceType,
  participants: readonly Participant[],
): readonly string[] {
  return participants
    .filter(({ isActive, isHub }) => isActive && !isHub)
    .filter((participant) => serves(type, participant))
    .map(({ name }) => name)
    .toSorted()
    .slice(0, providers_max)
}

/** A DFSP says by its own address for consent requests that it takes them; a PISP is one by its type. */
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
