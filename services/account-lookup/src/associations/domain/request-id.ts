/**
 * Classifies a POST /participants by its requestId: the first with this id, a repeat of it, or
 * different content under a used id. A redelivery of the first is still the first.
 */

/** The request that an id belongs to. */
export interface Owner {
  readonly eventId: string
  readonly requesterFspId: string
  /** SHA-256 of the canonical body, base64url. */
  readonly payloadHash: string
}

export type RequestIdStatus = 'FIRST' | 'REPEAT' | 'ID_USED'

/** Compares bodies, not headers; two FSPs never share an id. */
export function requestIdStatusOf(owner: Owner, request: Owner): RequestIdStatus {
  if (owner.eventId === request.eventId) return 'FIRST'
  const isSame =
    owner.requesterFspId === request.requesterFspId && owner.payloadHash === request.payloadHash
  return isSame ? 'REPEAT' : 'ID_USED'
}
