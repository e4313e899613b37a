/**
 * The site or app at which a user may make a credential and sign with it. The hub is not the
 * relying party, and no message names it in advance. So an operator may list the origins and
 * relying parties of a PISP; others are accepted at first use and must stay the same. Each is a domain
 * that can be registered, or one below it, and an origin is at the relying party's domain or below it.
 * (Web Authentication Level 3, sections 5.1.2 and 13.4.9; publicsuffix.org)
 */
import { hash } from 'node:crypto'
import { parse } from 'tldts'
import type { Ceremony, FidoVerifier } from './verifier.ts'

/** The list of one PISP, or of a DFSP whose PISP is unknown. */
export interface Allowed {
  readonly origins: readonly string[]
  readonly rpIds: readonly string[]
}

export interface RelyingPartyPolicy {
  /** By participant. */
  readonly allowed: ReadonlyMap<string, Allowed>
  /** Origins that are not web addresses, such as `android:apk-key-hash:…`. */
  readonly acceptsNativeOrigins: boolean
  /** `http://localhost`, for development. */
  readonly acceptsLocalhost: boolean
  readonly acceptsCrossOrigin: boolean
  readonly requiresUserVerification: boolean
}

/** The list for credentials of a consent: that of its PISP, otherwise that of its DFSP. */
export function allowedFor(
  { allowed }: RelyingPartyPolicy,
  pispId: string | undefined,
  dfspId: string,
): Allowed | undefined {
  return allowed.get(pispId ?? dfspId)
}

export type RelyingParty =
  | { readonly type: 'ACCEPTED'; readonly rpId: string }
  | { readonly type: 'REFUSED'; readonly detail: string }

/** The relying party of a new credential. */
export function relyingPartyOf(
  ceremony: Ceremony,
  policy: RelyingPartyPolicy,
  allowed: Allowed | undefined,
): RelyingParty {
  const fault = ceremonyFault(ceremony, policy)
  if (fault !== undefined) return refused(fault)
  const { origin, rpIdHash } = ceremony
  if (allowed !== undefined) {
    if (!allowed.origins.includes(origin)) return refused('its origin is not on the list')
    const listed = allowed.rpIds.find((rpId) => hashOf(rpId) === rpIdHash)
    if (listed === undefined) return refused('its relying party is not on the list')
    return isNative(origin) || isOriginOf(origin, listed)
      ? { type: 'ACCEPTED', rpId: listed }
      : refused('its origin is not of its relying party')
  }
  const host = webHostOf(origin, policy)
  if (host === undefined) {
    return policy.acceptsNativeOrigins && isNative(origin)
      ? { type: 'ACCEPTED', rpId: '' }
      : refused('its origin is not acceptable')
  }
  const ids = relyingPartyIds(host)
  if (ids.length === 0) return refused('its origin is an IP address or a public suffix')
  const rpId = ids.find((one) => hashOf(one) === rpIdHash)
  return rpId === undefined
    ? refused('its relying party is neither the host of its origin nor a domain above it')
    : { type: 'ACCEPTED', rpId }
}

/** Why a signature was not made at the origin of the credential; undefined if it was. */
export function originFault(
  ceremony: Ceremony,
  verifier: FidoVerifier,
  policy: RelyingPartyPolicy,
  allowed: Allowed | undefined,
): string | undefined {
  const fault = ceremonyFault(ceremony, policy)
  if (fault !== undefined) return fault
  if (ceremony.rpIdHash !== verifier.rpIdHash) return 'it is for another relying party'
  const { origin } = ceremony
  if (verifier.rpId !== '' && !isNative(origin) && !isOriginOf(origin, verifier.rpId)) {
    return 'its origin is not of its relying party'
  }
  if (allowed !== undefined) {
    return allowed.origins.includes(origin) ? undefined : 'its origin is not on the list'
  }
  return origin === verifier.origin ? undefined : 'it was made at another origin'
}

/**
 * A counter that does not increase shows that the authenticator was copied, or that the signature
 * was used before. An authenticator without a counter always sends 0. (Web Authentication Level 3,
 * 6.1.1)
 * @param stored the counter of the last signature
 */
export function countFault(stored: number, received: number): string | undefined {
  const doesNotCount = stored === 0 && received === 0
  return doesNotCount || received > stored ? undefined : 'the signature counter did not increase'
}

function ceremonyFault(
  { isCrossOrigin, isUserVerified }: Ceremony,
  { acceptsCrossOrigin, requiresUserVerification }: RelyingPartyPolicy,
): string | undefined {
  if (isCrossOrigin && !acceptsCrossOrigin) return 'it was made in a frame of another origin'
  return requiresUserVerification && !isUserVerified ? 'the user was not verified' : undefined
}

function hashOf(rpId: string): string {
  return hash('sha256', rpId, 'base64url')
}

function refused(detail: string): RelyingParty {
  return { type: 'REFUSED', detail }
}

function webHostOf(origin: string, { acceptsLocalhost }: RelyingPartyPolicy): string | undefined {
  if (!URL.canParse(origin)) return undefined
  const { protocol, hostname, origin: written } = new URL(origin)
  if (written !== origin) return undefined
  if (protocol === 'https:') return hostname
  return protocol === 'http:' && hostname === 'localhost' && acceptsLocalhost ? hostname : undefined
}

function isNative(origin: string): boolean {
  return /^(?:android:apk-key-hash|ios):/.test(origin)
}

const ownMachine = 'localhost'
const hostForm = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/

/**
 * Whether a relying party may have this id: a domain that can be registered or one below it, in lower
 * case, not an IP address and not a public suffix (`co.uk`, `github.io`); or `localhost`.
 */
export function isRelyingPartyId(text: string): boolean {
  return text === ownMachine || registrableDomainOf(text) !== undefined
}

/** Whether a web page of this origin is at the domain of the relying party or below it. */
export function isOriginOf(origin: string, rpId: string): boolean {
  if (!URL.canParse(origin)) return false
  const { hostname } = new URL(origin)
  return hostname === rpId || hostname.endsWith(`.${rpId}`)
}

/** The host and the domains above it, up to the one that can be registered. */
function relyingPartyIds(host: string): readonly string[] {
  if (host === ownMachine) return [host]
  const domain = registrableDomainOf(host)
  if (domain === undefined) return []
  const ids = [host]
  for (let id = host; id !== domain;) {
    id = id.slice(id.indexOf('.') + 1)
    ids.push(id)
  }
  return ids
}

/**
 * The public suffix of the host and one label; undefined for an IP address, for a public suffix, and for
 * what is no host name in lower case. Suffixes of the private section count: whose sites are at
 * `github.io` are different parties.
 */
function registrableDomainOf(host: string): string | undefined {
  if (!hostForm.test(host)) return undefined
  return parse(host, { allowPrivateDomains: true, extractHostname: false }).domain ?? undefined
}
