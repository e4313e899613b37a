/** Who is an FSP, asked of participant-lifecycle each time: what rests on it is rare and lasts. */
import { participantsService, type Participant } from '@causeway/protos'
import type { GrpcHost } from '@causeway/runtime'

export interface Fsp {
  readonly name: string
  /** Hosts of its registered endpoints, names in lower case. */
  readonly hosts: ReadonlySet<string>
}

/** Who is in this state stays in it. */
export const closed = 'CLOSED'

/**
 * Undefined when nobody has the name; the hub and the auth service that it hosts are no FSPs, and who is
 * CLOSED comes back no more.
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
    if (participant.state === closed) return undefined
    return { name, hosts: hostsOf(participant) }
  }
}

/** Whether a participant can have this name; anything else is not looked for. */
export function isName(text: string): boolean {
  return /^[\x21-\x7e]{1,32}$/.test(text)
}

function hostsOf({ endpoints }: Participant): ReadonlySet<string> {
  return new Set(endpoints.flatMap(({ value }) => hostOf(value) ?? []))
}

/** Templates may have variables, but not in their host. */
function hostOf(value: string): string | undefined {
  const origin = /^https?:\/\/[^/{}]+/i.exec(value)?.[0]
  if (origin === undefined || !URL.canParse(origin)) return undefined
  if (value.charAt(origin.length) === '{') return undefined
  return new URL(origin).hostname.replace(/^\[|\]$/g, '')
}
