/**
 * The relying party of the hub's own credentials: its id, and the origins of its pages. (Web
 * Authentication Level 3, sections 5.1.2 and 13.4.9)
 */
import { isOriginOf, type Ceremony } from '@causeway/credentials'

export interface RelyingParty {
  /** A domain: 'hub.example'. */
  readonly id: string
  /** SHA-256 of the id, base64url. */
  readonly idHash: string
  /** 'https://operator.hub.example'; with ':*' at the end any port. */
  readonly origins: readonly string[]
}

/** Why a ceremony is not acceptable, for operators; undefined if it is. */
export function ceremonyFault(
  { origin, isCrossOrigin, rpIdHash, isUserVerified }: Ceremony,
  { idHash, origins }: RelyingParty,
  requiresUserVerification: boolean,
): string | undefined {
  if (isCrossOrigin) return 'it was made in a frame of another origin'
  if (rpIdHash !== idHash) return 'it is for another relying party'
  if (!origins.some((listed) => includesOrigin(listed, origin))) {
    return 'its origin is not on the list'
  }
  return requiresUserVerification && !isUserVerified ? 'the user was not verified' : undefined
}

function includesOrigin(listed: string, origin: string): boolean {
  if (!listed.endsWith(anyPort)) return listed === origin
  const withoutPort = listed.slice(0, -anyPort.length)
  const port = origin.startsWith(withoutPort) ? origin.slice(withoutPort.length) : undefined
  return port !== undefined && /^(?::\d{1,5})?$/.test(port)
}

const anyPort = ':*'

/** Why the origin cannot be on the list of a relying party; undefined if it can. */
export function originListFault(listed: string, id: string): string | undefined {
  const origin = listed.endsWith(anyPort) ? listed.slice(0, -anyPort.length) : listed
  if (!URL.canParse(origin)) return 'is not an origin such as https://operator.hub.example'
  const { protocol, hostname, origin: written } = new URL(origin)
  if (written !== origin) return 'is not an origin such as https://operator.hub.example'
  if (!isOriginOf(origin, id)) return `is not an origin of ${id}`
  const isSecure = protocol === 'https:' || (protocol === 'http:' && isOwnMachine(hostname))
  return isSecure ? undefined : 'must be https, except for localhost'
}

function isOwnMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}
