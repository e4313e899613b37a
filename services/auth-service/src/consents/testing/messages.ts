/** Events about consents as the edge and account-lookup would send them; FSPs and ids are invented. */
import { consentChallenge } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import type { ConsentEvent } from '../contract.ts'

export const dfsp = 'bankx'
export const pisp = 'pispx'
export const stranger = 'stranger'
export const owner = 'centralAuth'
export const started = '2026-01-15T12:00:00.000Z'
export const challengeText = 'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o'
export const scopes = [{ address: 'bankx.acc.1', actions: ['ACCOUNTS_TRANSFER'] }]

export type Of<Name extends ConsentEvent['name']> = Extract<ConsentEvent, { readonly name: Name }>

interface EventOrigin {
  readonly eventId?: string
  readonly from?: string
}

function envelope({ eventId = randomUUID() }: EventOrigin, body?: object) {
  const relay = body === undefined ? undefined : { body: Buffer.from(JSON.stringify(body)) }
  return { id: eventId, time: started, maybeDuplicate: false, relay, traceparent: undefined }
}

function asker({ from = dfsp }: EventOrigin) {
  return { requesterFspId: from, version: '1.0' }
}

/** The bytes that a user's key signs when the consent is registered. */
export function challengeOf(consentId: string): Buffer {
  return consentChallenge({ consentId, scopes })
}

export function fido(attestation: object, status = 'PENDING'): object {
  return { credentialType: 'FIDO', status, fidoPayload: attestation }
}

export function generic(publicKey: string, signature: string): object {
  const genericPayload = { publicKey, signature }
  return { credentialType: 'GENERIC', status: 'PENDING', genericPayload }
}

export function registration(
  consentId: string,
  credential: object,
  sent: EventOrigin & { readonly body?: object } = {},
): Of<'ConsentRegistrationReceived'> {
  const body = { consentId, scopes, status: 'ISSUED', credential, ...sent.body }
  return {
    ...envelope(sent, body),
    name: 'ConsentRegistrationReceived',
    payload: { consentId, ...asker(sent), receivedAt: started },
  }
}

export function observed(
  consentId: string,
  {
    dfspId = dfsp,
    pispId = pisp,
    ...sent
  }: EventOrigin & { dfspId?: string; pispId?: string } = {},
): Of<'ConsentPartiesObserved'> {
  const payload = { consentId, dfspId, pispId }
  return { ...envelope(sent), name: 'ConsentPartiesObserved', payload }
}

function association(consentId: string, requesterFspId: string) {
  return {
    partyKey: `CONSENTS/${consentId}`,
    partyIdType: 'CONSENTS',
    partyIdentifier: consentId,
    requesterFspId,
    version: '1.1',
  }
}

export function owned(
  consentId: string,
  sent: EventOrigin = {},
): Of<'ParticipantAssociationCreated'> {
  const { from = owner } = sent
  const payload = { ...association(consentId, from), fspId: from }
  return { ...envelope(sent), name: 'ParticipantAssociationCreated', payload }
}

export function notOwned(
  consentId: string,
  sent: EventOrigin = {},
): Of<'ParticipantAssociationRequestRefused'> {
  const { from = owner } = sent
  const errorInformation = { errorCode: '3003', errorDescription: 'Add Party information error' }
  return {
    ...envelope(sent),
    name: 'ParticipantAssociationRequestRefused',
    payload: { ...association(consentId, from), errorInformation },
  }
}

export function deletion(
  consentId: string,
  {
    revokedAt,
    destinationFspId,
    ...sent
  }: EventOrigin & { readonly revokedAt?: string; readonly destinationFspId?: string } = {},
): Of<'ConsentRevocationReceived'> {
  const payload = { consentId, ...asker(sent), revokedAt, destinationFspId }
  return { ...envelope(sent), name: 'ConsentRevocationReceived', payload }
}

export function query(consentId: string, sent: EventOrigin = {}): Of<'ConsentQueryReceived'> {
  const payload = { consentId, ...asker(sent) }
  return { ...envelope(sent), name: 'ConsentQueryReceived', payload }
}

export function verification(
  verificationRequestId: string,
  consentId: string,
  signed: object,
  sent: EventOrigin = {},
): Of<'VerificationReceived'> {
  const body = { verificationRequestId, consentId, challenge: challengeText, ...signed }
  return {
    ...envelope(sent, body),
    name: 'VerificationReceived',
    payload: { verificationRequestId, consentId, ...asker(sent), receivedAt: started },
  }
}

export function signedWithFido(assertion: object): object {
  return { signedPayloadType: 'FIDO', fidoSignedPayload: assertion }
}

export function signedWithKey(signature: string): object {
  return { signedPayloadType: 'GENERIC', genericSignedPayload: signature }
}

export function verificationQuery(
  verificationRequestId: string,
  sent: EventOrigin = {},
): Of<'VerificationQueryReceived'> {
  const payload = { verificationRequestId, ...asker(sent) }
  return { ...envelope(sent), name: 'VerificationQueryReceived', payload }
}

/** The same message once more: another event with the same content. */
export function again<Event extends ConsentEvent>(event: Event): Event {
  return { ...event, id: randomUUID() }
}
