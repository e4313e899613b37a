/** Maps events to commands and queries, with the bodies that FSPs sent. */
import type { DomainEvent, EventName } from '@causeway/events'
import {
  consentChallenge,
  payloadHash,
  postConsentsRegistration,
  postVerifications,
  readBody,
} from '@causeway/fspiop'
import { hash } from 'node:crypto'
import type { ConsentDocument, ConsentParties, Requester } from './domain/consent.ts'
import type { ConsentQuery } from './domain/query.ts'
import type { Ownership, ConsentRegistration } from './domain/register.ts'
import type { Revocation } from './domain/revoke.ts'
import type { VerificationQuery, VerificationRequest } from './domain/verify.ts'

export const consentEvents = [
  'ConsentRegistrationReceived',
  'ConsentQueryReceived',
  'ConsentRevocationReceived',
  'ConsentPartiesObserved',
  'VerificationReceived',
  'VerificationQueryReceived',
  'ParticipantAssociationCreated',
  'ParticipantAssociationRequestRefused',
] as const satisfies readonly EventName[]

export type ConsentEvent = DomainEvent<(typeof consentEvents)[number]>

/** A command that may change something. */
export type ConsentCommand = {
  readonly eventId: string
  readonly traceparent: string | undefined
} & (
  | {
      readonly type: 'REGISTER'
      readonly registration: ConsentRegistration
      readonly credentialType: string
      readonly payload: unknown
      /** Of the consent: 32 bytes. */
      readonly challenge: Buffer
    }
  | { readonly type: 'OBSERVE'; readonly parties: ConsentParties }
  | { readonly type: 'OWN'; readonly ownership: Ownership }
  | { readonly type: 'REVOKE'; readonly revocation: Revocation }
  | {
      readonly type: 'VERIFY'
      readonly request: VerificationRequest
      readonly payload: unknown
      readonly challenge: string
    }
)

/** A query: it changes nothing. */
export type Question = { readonly traceparent: string | undefined } & (
  | { readonly type: 'QUERY'; readonly query: ConsentQuery }
  | { readonly type: 'QUERY_VERIFICATION'; readonly query: VerificationQuery }
)

/**
 * The command or query of an event; undefined for an association of another participant.
 * @param participant the participant name of the auth service
 */
export function parseEvent(
  event: ConsentEvent,
  participant: string,
): ConsentCommand | Question | undefined {
  const { id: eventId, traceparent } = event
  switch (event.name) {
    case 'ConsentRegistrationReceived':
      return { eventId, traceparent, ...registrationOf(event) }
    case 'ConsentPartiesObserved': {
      const { consentId, dfspId, pispId, consentRequestId } = event.payload
      const parties = { consentId, dfspId, pispId, consentRequestId }
      return { type: 'OBSERVE', eventId, traceparent, parties }
    }
    case 'ConsentRevocationReceived':
      return { type: 'REVOKE', eventId, traceparent, revocation: revocationOf(event) }
    case 'VerificationReceived':
      return { eventId, traceparent, ...verificationOf(event) }
    case 'ConsentQueryReceived': {
      const { consentId } = event.payload
      const query = { eventId, consentId, requester: requesterOf(event) }
      return { type: 'QUERY', traceparent, query }
    }
    case 'VerificationQueryReceived': {
      const { verificationRequestId } = event.payload
      const query = { eventId, verificationRequestId, requester: requesterOf(event) }
      return { type: 'QUERY_VERIFICATION', traceparent, query }
    }
    case 'ParticipantAssociationCreated':
    case 'ParticipantAssociationRequestRefused': {
      const ownership = ownershipOf(event, participant)
      return ownership && { type: 'OWN', eventId, traceparent, ownership }
    }
  }
}

function requesterOf({
  payload,
}: {
  readonly payload: { readonly requesterFspId: string; readonly version: string }
}): Requester {
  return { fspId: payload.requesterFspId, version: payload.version }
}

const empty = Buffer.alloc(0)

/**
 * The edge has validated the body by the same schema: a malformed body here is a defect of the hub.
 */
function registrationOf(event: DomainEvent<'ConsentRegistrationReceived'>) {
  const { consentId } = event.payload
  const bytes = event.relay?.body ?? empty
  const reading = readBody(postConsentsRegistration, bytes)
  const registration = { eventId: event.id, consentId, requester: requesterOf(event) }
  if (!reading.ok || reading.value.consentId !== consentId) {
    const malformed: ConsentRegistration = {
      ...registration,
      requestHash: hash('sha256', bytes, 'base64url'),
      consentRequestId: undefined,
      fault: 'MALFORMED',
      document: { scopes: [], credential: {} },
    }
    const unread = { credentialType: '', payload: undefined, challenge: empty }
    return { type: 'REGISTER', registration: malformed, ...unread } as const
  }
  const { value, json } = reading
  // As received: the challenge is computed over it, and the FSP gets it back.
  const { scopes, credential } = json as ConsentDocument
  const { credentialType, status } = value.credential
  const isStatusRight = value.status === 'ISSUED' && status === 'PENDING'
  const read: ConsentRegistration = {
    ...registration,
    requestHash: payloadHash(json),
    consentRequestId: value.consentRequestId,
    fault: isStatusRight ? undefined : 'STATUS_WRONG',
    document: { scopes, credential },
  }
  return {
    type: 'REGISTER',
    registration: read,
    credentialType,
    payload: payloadIn(value.credential),
    challenge: consentChallenge({ consentId, scopes }),
  } as const
}

/**
 * The proof of a credential: `payload` in the newest form of the API, or the member of its type.
 */
export function payloadIn(credential: {
  readonly credentialType?: unknown
  readonly payload?: unknown
  readonly fidoPayload?: unknown
  readonly genericPayload?: unknown
}): unknown {
  const { credentialType, payload, fidoPayload, genericPayload } = credential
  return payload ?? (credentialType === 'FIDO' ? fidoPayload : genericPayload)
}

function revocationOf(event: DomainEvent<'ConsentRevocationReceived'>): Revocation {
  const { consentId, destinationFspId, revokedAt } = event.payload
  return {
    eventId: event.id,
    consentId,
    requester: requesterOf(event),
    destination: destinationFspId,
    relayedAt: revokedAt === undefined ? undefined : timeOf(revokedAt),
  }
}

function verificationOf(event: DomainEvent<'VerificationReceived'>) {
  const { verificationRequestId, consentId } = event.payload
  const bytes = event.relay?.body ?? empty
  const reading = readBody(postVerifications, bytes)
  const request = { eventId: event.id, verificationRequestId, consentId }
  const requester = requesterOf(event)
  if (!reading.ok) {
    const requestHash = hash('sha256', bytes, 'base64url')
    const unread = { ...request, requester, requestHash, signedPayloadType: '' }
    return { type: 'VERIFY', request: unread, payload: undefined, challenge: '' } as const
  }
  const { signedPayloadType, challenge, ...signed } = reading.value
  return {
    type: 'VERIFY',
    request: { ...request, requester, requestHash: payloadHash(reading.json), signedPayloadType },
    payload:
      signedPayloadType === 'FIDO'
        ? (signed.fidoSignedPayload ?? signed.fidoValue)
        : (signed.genericSignedPayload ?? signed.genericValue),
    challenge,
  } as const
}

const consentTypes: ReadonlySet<string> = new Set(['CONSENT', 'CONSENTS'])

/** The topic also carries associations of FSPs with their parties. */
function ownershipOf(
  event: DomainEvent<'ParticipantAssociationCreated' | 'ParticipantAssociationRequestRefused'>,
  participant: string,
): Ownership | undefined {
  const { partyIdType, partyIdentifier: consentId, requesterFspId } = event.payload
  if (requesterFspId !== participant || !consentTypes.has(partyIdType)) return undefined
  if (event.name === 'ParticipantAssociationCreated') {
    return { consentId, outcome: 'CONFIRMED', detail: '' }
  }
  const { errorCode, errorDescription } = event.payload.errorInformation
  return { consentId, outcome: 'REFUSED', detail: `${errorCode} ${errorDescription}` }
}

/** Throws for an invalid time: the event then becomes a dead letter. */
function timeOf(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Error(`'${text}' is not a valid time`)
  return time
}
