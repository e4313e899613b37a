/**
 * Looks up FSPs in participant-lifecycle, without a cache: the calls are rare, and their results
 * have lasting effects.
 */
import type { GrpcHost } from '@causeway/grpc'
import { participantsService, type Participant } from '@causeway/protos'

export interface Fsp {
  readonly name: string
  /** Hosts of its registered endpoints; names in lower case. */
  readonly hosts: ReadonlySet<string>
}

/** A final state. */
export const closed = 'CLOSED'

/**
 * Undefined for an unknown name, for the hub, for its hosted auth service, and for a CLOSED FSP.
 */
export type FindFsp = (name: string) => Promise<Fsp | undefined>

export function openFsps(grpc: GrpcHost): FindFsp {
  const { GetParticipantInfo } = grpc.client(participantsService, 'participant-lifecycle')
  return async (name) => {
    if (!isName(name)) return undefined
    const { participants } = await GetParticipantInfo({ names: [name] })
    const [participant] = participants
    if (participant === undefined || participant.isHub) return undefined
    if (participant.type === 'AUTH_SERVICE') return undefined
    if (participant.stateName === closed) return undefined
    return { name, hosts: hostsOf(participant) }
  }
}

/** Whether the text is a valid participant name; others are not looked up. */
export function isName(text: string): boolean {
  return /^[\x21-\x7e]{1,32}$/.test(text)
}

function hostsOf({ endpoints }: Participant): ReadonlySet<string> {
  return new Set(endpoints.flatMap(({ value }) => hostOf(value) ?? []))
}

/** URL templates may have variables, but not in the host. */
function hostOf(value: string): string | undefined {
  const origin = /^https?:\/\/[^/{}]+/i.exec(value)?.[0]
  if (origin === undefined || !URL.canParse(origin)) return undefined
  if (value.charAt(origin.length) === '{') return undefined
  return new URL(origin).hostname.replace(/^\[|\]$/g, '')
}
