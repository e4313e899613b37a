/**
 * What a POST /participants is to its requestId: the first to name it, the same request again, or
 * another one. A redelivery of the first is still the first.
 */

/** The request that an id belongs to. */
export interface Owner {
  readonly eventId: string
  readonly requesterFspId: string
  /** SHA-256 of the canonical body, base64url. */
  readonly payloadHash: string
}

export type Standing = 'FIRST' | 'REPEAT' | 'ID_USED'

/** The body alone counts, not its headers; an id is never shared by two FSPs. */
export function standingOf(owner: Owner, request: Owner): Standing {
  if (owner.eventId === request.eventId) return 'FIRST'
  const isSame =
    owner.requesterFspId === request.requesterFspId && owner.payloadHash === request.payloadHash
  return isSame ? 'REPEAT' : 'ID_USED'
}
