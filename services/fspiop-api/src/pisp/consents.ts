/**
 * Consents and the signatures made under them. Messages to the hosted auth service become events; all
 * others are relayed between the FSPs, and an event records the parties of the consent. The owner of a
 * consent is an entry of account-lookup, independent of the headers.
 */
import { newEvent, type Payload } from '@causeway/events'
import {
  errorBody,
  patchConsents,
  postConsents,
  postConsentsRegistration,
  postVerifications,
  putConsents,
  type EncryptedPath,
  utcDateTime,
} from '@causeway/fspiop'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { against, bodyOf, idOf, malformed, traceOf } from '../bodies/reading.ts'
import type { RelayRules } from '../relayed/relay.ts'
import { verificationObserved } from './observed.ts'
import type { ConsentOwners } from './owners.ts'
import { destinationOf } from '../contract.ts'
import { answer, answer_bytes_max, answering, asking, query, relay } from './relayed.ts'

export interface ConsentParts {
  readonly rules: RelayRules
  /** The hosted auth service as a participant; empty: none is hosted. */
  readonly authService: string
  readonly owners: Pick<ConsentOwners, 'ownerOf'>
}

export function consentRoutes(parts: ConsentParts): ServedRoutes {
  const { rules } = parts
  return {
    'POST /consents': { ...asking, read: (message) => grantOrRegister(message, parts) },
    'GET /consents/{ID}': { ...asking, read: (message) => ofOwner(message, parts, 'GET') },
    'DELETE /consents/{ID}': { ...asking, read: (message) => ofOwner(message, parts, 'DELETE') },
    // The DFSP answers the credential of a PISP with another PUT.
    'PUT /consents/{ID}': {
      ...answering,
      isAnswered: true,
      read: (message) => put(message, parts),
    },
    // A revocation is not an answer: it is a request, like DELETE.
    'PATCH /consents/{ID}': {
      ...asking,
      body_bytes_max: answer_bytes_max,
      read: (message) => patch(message, parts),
    },
    'PUT /consents/{ID}/error': answer('PUT /consents/{ID}/error', errorBody, 'REQUESTER', rules),
    'POST /thirdpartyRequests/verifications': {
      ...asking,
      read: (message) => verify(message, parts),
    },
    'GET /thirdpartyRequests/verifications/{ID}': {
      ...asking,
      read: (message) => queryVerification(message, parts),
    },
  }
}

function grantOrRegister(message: Incoming, parts: ConsentParts): ReadResult {
  if (isHosted(parts, message.destination)) return register(message)
  const reading = bodyOf(postConsents, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { consentId, consentRequestId, credential } = reading.value
  const { source: dfspId, destination: pispId } = message
  // With a credential it is for an external auth service, which is not a party of the consent.
  const isGrant = credential === undefined && !message.encrypted.some(isCredential)
  const alongside = isGrant
    ? observed(message, parts, { consentId, dfspId, pispId, consentRequestId })
    : []
  return relay(message, parts.rules, {
    operation: 'POST /consents',
    id: consentId,
    role: 'REQUESTER',
    alongside,
  })
}

function isCredential([member]: EncryptedPath): boolean {
  return member === 'credential'
}

function register(message: Incoming): ReadResult {
  if (message.encrypted.length > 0) return against('AUTH_SERVICE_READS_ALL')
  const reading = bodyOf(postConsentsRegistration, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const payload = {
    ...askedBy(message),
    consentId: reading.value.consentId,
    receivedAt: message.receivedAt,
  }
  return published('ConsentRegistrationReceived', payload, message)
}

function verify(message: Incoming, parts: ConsentParts): ReadResult {
  const isForUs = isHosted(parts, message.destination)
  if (isForUs && message.encrypted.length > 0) return against('AUTH_SERVICE_READS_ALL')
  const reading = bodyOf(postVerifications, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { verificationRequestId, consentId } = reading.value
  if (isForUs) {
    const { receivedAt } = message
    const payload = { ...askedBy(message), verificationRequestId, consentId, receivedAt }
    return published('VerificationReceived', payload, message)
  }
  return relay(message, parts.rules, {
    operation: 'POST /thirdpartyRequests/verifications',
    id: verificationRequestId,
    role: 'REQUESTER',
    alongside: [verificationObserved(message, 'POST', verificationRequestId, reading.value)],
  })
}

function queryVerification(message: Incoming, parts: ConsentParts): ReadResult {
  if (isHosted(parts, message.destination)) {
    const payload = { ...askedBy(message), verificationRequestId: idOf(message) }
    return published('VerificationQueryReceived', payload, message)
  }
  const operation = 'GET /thirdpartyRequests/verifications/{ID}'
  return query(operation, 'REQUESTER', parts.rules).read(message)
}

/** Sent to the owner from the lookup; without an entry the consent is at the DFSP of the header. */
function ofOwner(message: Incoming, parts: ConsentParts, method: 'GET' | 'DELETE'): ReadResult {
  const consentId = idOf(message)
  return {
    type: 'LATER',
    async reading() {
      const answer = await parts.owners.ownerOf(consentId)
      if (answer.type === 'UNAVAILABLE') return against('OWNERS_UNAVAILABLE')
      const found = answer.type === 'FOUND' ? answer.fspId : undefined
      if (isHosted(parts, found) || (found === undefined && isHosted(parts, message.destination))) {
        return asked(message, consentId, method)
      }
      return relay(message, parts.rules, {
        operation: `${method} /consents/{ID}`,
        id: consentId,
        role: 'REQUESTER',
        // An owner that queries its own consent means the FSP in the header.
        owner: found === message.source ? undefined : found,
      })
    },
  }
}

function asked(message: Incoming, consentId: string, method: 'GET' | 'DELETE'): ReadResult {
  const payload = { ...askedBy(message), consentId }
  if (method === 'GET') return published('ConsentQueryReceived', payload, message)
  const named = destinationOf(message)
  return published('ConsentRevocationReceived', { ...payload, ...named }, message)
}

function put(message: Incoming, parts: ConsentParts): ReadResult {
  const reading = bodyOf(putConsents, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const consentId = idOf(message)
  const { source, destination } = message
  // Only a PISP has a credential that is still to be verified.
  const isFromPisp = reading.value.credential?.status === 'PENDING'
  const alongside = isFromPisp
    ? observed(message, parts, { consentId, dfspId: destination, pispId: source })
    : []
  return relay(message, parts.rules, {
    operation: 'PUT /consents/{ID}',
    id: consentId,
    role: isFromPisp ? 'PAYER' : 'REQUESTER',
    alongside,
  })
}

/** A DFSP that sends the revocation of a hosted consent only to the PISP revokes it in the hub too. */
function patch(message: Incoming, parts: ConsentParts): ReadResult {
  const reading = bodyOf(patchConsents, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const consentId = idOf(message)
  const { destination, receivedAt } = message
  const { status, revokedAt } = reading.value
  const relaying = { operation: 'PATCH /consents/{ID}', id: consentId, role: 'REQUESTER' } as const
  if (status !== 'REVOKED' || parts.authService === '') return relay(message, parts.rules, relaying)
  const payload = {
    ...askedBy(message),
    consentId,
    ...destinationOf(message),
    revokedAt: revokedAt === undefined ? receivedAt : utcDateTime(revokedAt),
  }
  const event = eventOf('ConsentRevocationReceived', payload, message)
  if (isHosted(parts, destination)) return { type: 'PUBLISH', event }
  return relay(message, parts.rules, { ...relaying, alongside: [event] })
}

interface Parties {
  readonly consentId: string
  readonly dfspId: string | undefined
  readonly pispId: string | undefined
  readonly consentRequestId?: string | undefined
}

function observed(message: Incoming, parts: ConsentParts, parties: Parties) {
  const { consentId, dfspId, pispId, consentRequestId } = parties
  if (parts.authService === '' || dfspId === undefined || pispId === undefined) return []
  if (isHosted(parts, dfspId) || isHosted(parts, pispId)) return []
  const request = consentRequestId === undefined ? {} : { consentRequestId }
  const payload = { consentId, dfspId, pispId, ...request }
  return [newEvent('fspiop-api', 'ConsentPartiesObserved', payload, traceOf(message))]
}

function isHosted({ authService }: ConsentParts, fspId: string | undefined): boolean {
  return authService !== '' && fspId === authService
}

function askedBy({ source: requesterFspId, version }: Incoming) {
  return { requesterFspId, version }
}

type RequestFacts =
  | 'ConsentRegistrationReceived'
  | 'ConsentQueryReceived'
  | 'ConsentRevocationReceived'
  | 'VerificationReceived'
  | 'VerificationQueryReceived'

function published<Name extends RequestFacts>(
  name: Name,
  payload: Payload<Name>,
  message: Incoming,
): ReadResult {
  return { type: 'PUBLISH', event: eventOf(name, payload, message) }
}

/** With the received body, because hashes are computed over it. */
function eventOf<Name extends RequestFacts>(name: Name, payload: Payload<Name>, message: Incoming) {
  const { body, receivedAt } = message
  return newEvent('fspiop-api', name, payload, {
    relay: { body, receivedAt },
    ...traceOf(message),
  })
}
