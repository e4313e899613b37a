/**
 * The life of a consent at its DFSP: granted, its credential being verified, verified, revoked.
 * `payableLinks` decides which consents permit payments. Third-Party API 1.0, linking; on the wire
 * the states are ISSUED and REVOKED.
 */
import { type ErrorInformation, errorInformation, payloadHash } from '@causeway/fspiop'
import { type Credential, type Scope, type SignedPayload, transferAction } from '../consent.ts'
import type { StoredKey } from './verifier.ts'

export interface Grant {
  readonly consentId: string
  readonly consentRequestId: string
  readonly pispId: string
  readonly userId: string
  /** As the PISP and the auth service receive them: the challenge is a hash over them. */
  readonly scopes: readonly Scope[]
  readonly granted_ms: number
  /** No payment later; undefined: valid until it is revoked. Times of Date.now. */
  readonly expires_ms: number | undefined
}

/**
 * GRANTED: the user's key is not known yet. CHECKING: it is being verified. VERIFIED: payments may
 * be made.
 */
export type Link = Grant &
  (
    | { readonly state: 'GRANTED' }
    | { readonly state: 'CHECKING'; readonly credential: Credential }
    | {
        readonly state: 'VERIFIED'
        readonly credential: Credential
        /** What the DFSP verifies signatures with; undefined: an auth service does. */
        readonly key: StoredKey | undefined
        readonly verified_ms: number
      }
    | { readonly state: 'REVOKED'; readonly revokedAt: string }
  )

export type CredentialDecision =
  /** Verify it. */
  | { readonly type: 'CHECK' }
  /** A repeat of the credential that is being verified. */
  | { readonly type: 'WAIT' }
  /** A repeat of a verified credential: the PISP is informed once more. */
  | { readonly type: 'CONFIRM' }
  | { readonly type: 'REFUSE'; readonly error: ErrorInformation }

/** The decision about a credential that a PISP sends for a consent. */
export function judgeCredential(
  link: Link | undefined,
  pispId: string,
  credential: Credential,
  scopes: readonly Scope[],
): CredentialDecision {
  if (link === undefined || link.state === 'REVOKED') return refuse('6103')
  if (link.pispId !== pispId) return refuse('6104')
  if (payloadHash(scopes) !== payloadHash(link.scopes)) return refuse('6101')
  if (link.state === 'GRANTED') return { type: 'CHECK' }
  if (payloadHash(credential) !== payloadHash(link.credential)) return refuse('3106')
  return { type: link.state === 'CHECKING' ? 'WAIT' : 'CONFIRM' }
}

/** The credential was found wrong: the PISP may send another. */
export function withoutCredential(link: Link): Link {
  return link.state === 'CHECKING' ? { ...grantOf(link), state: 'GRANTED' } : link
}

export function withCredential(link: Link, credential: Credential): Link {
  return link.state === 'GRANTED' ? { ...grantOf(link), state: 'CHECKING', credential } : link
}

/** A consent that was revoked while its credential was under check stays revoked. */
export function verified(link: Link, key: StoredKey | undefined, now_ms: number): Link {
  if (link.state !== 'CHECKING') return link
  const { credential } = link
  return { ...grantOf(link), state: 'VERIFIED', credential, key, verified_ms: now_ms }
}

/** The first revocation counts. */
export function revoked(link: Link, revokedAt: string): Link {
  return link.state === 'REVOKED' ? link : { ...grantOf(link), state: 'REVOKED', revokedAt }
}

function grantOf(link: Link): Grant {
  const { consentId, consentRequestId, pispId, userId, scopes, granted_ms, expires_ms } = link
  return { consentId, consentRequestId, pispId, userId, scopes, granted_ms, expires_ms }
}

/** A consent whose state permits payments. */
export type VerifiedLink = Link & { readonly state: 'VERIFIED' }

export type LinkChoice =
  | { readonly links: readonly [VerifiedLink, ...VerifiedLink[]] }
  | { readonly error: ErrorInformation }

/**
 * The consents under which a PISP may pay from an account, the newest first: its user may have
 * several devices. 6103 when none is valid, 6104 when only another PISP has one.
 */
export function payableLinks(
  links: Iterable<Link>,
  pispId: string,
  address: string,
  now_ms: number,
): LinkChoice {
  const all = [...links].filter(
    (link): link is VerifiedLink => holds(link, now_ms) && allowsTransfer(link, address),
  )
  const [first, ...others] = all
    .filter((link) => link.pispId === pispId)
    .sort((one, other) => other.verified_ms - one.verified_ms)
  if (first !== undefined) return { links: [first, ...others] }
  return { error: errorInformation(all.length > 0 ? '6104' : '6103') }
}

/** The consent whose key has signed; the newest when the signature matches no known key. */
export function signedLink(
  links: readonly [VerifiedLink, ...VerifiedLink[]],
  signed: SignedPayload,
): VerifiedLink {
  const [newest] = links
  const ofKind = links.filter(
    ({ credential }) => credential.credentialType === signed.signedPayloadType,
  )
  if (signed.signedPayloadType === 'GENERIC') return ofKind[0] ?? newest
  const { id } = signed.fidoSignedPayload
  const isSigner = ({ credential }: VerifiedLink) =>
    credential.credentialType === 'FIDO' && bytesOf(credential.fidoPayload.id).equals(bytesOf(id))
  return ofKind.find(isSigner) ?? ofKind[0] ?? newest
}

/** Clients write ids in either alphabet of base64. */
function bytesOf(id: unknown): Buffer {
  return Buffer.from(String(id), 'base64')
}

/** Whether payments may be made under it now. */
export function holds(link: Link | undefined, now_ms: number): link is VerifiedLink {
  if (link?.state !== 'VERIFIED') return false
  return link.expires_ms === undefined || now_ms < link.expires_ms
}

function allowsTransfer({ scopes }: Link, address: string): boolean {
  return scopes.some((each) => each.address === address && each.actions.includes(transferAction))
}

function refuse(code: '3106' | '6101' | '6103' | '6104'): CredentialDecision {
  return { type: 'REFUSE', error: errorInformation(code) }
}
