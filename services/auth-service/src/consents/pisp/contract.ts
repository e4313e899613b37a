/** Maps events to observed messages. */
import type { DomainEvent, EventName } from '@causeway/events'
import { postVerifications, readBody } from '@causeway/fspiop'
import { hash } from 'node:crypto'
import type { TransactionMessage } from './domain/transaction.ts'

export const thirdPartyEvents = [
  'ThirdPartyTransactionObserved',
  'ThirdPartyAuthorizationObserved',
  'ThirdPartyVerificationObserved',
  'VerificationReceived',
] as const satisfies readonly EventName[]

export type ThirdPartyEvent = DomainEvent<(typeof thirdPartyEvents)[number]>

const nothing = {
  outcome: undefined,
  error: undefined,
  transactionRequestId: undefined,
  transactionId: undefined,
  transactionState: undefined,
  consentId: undefined,
  challengeHash: undefined,
} as const

/** @param participant the participant name of the hosted auth service */
export function stepOf(event: ThirdPartyEvent, participant: string): TransactionMessage {
  switch (event.name) {
    case 'ThirdPartyTransactionObserved': {
      const { transactionRequestId, transactionState, transactionId } = event.payload
      return {
        ...messageOf(event),
        about: 'TRANSACTION',
        subjectId: transactionRequestId,
        outcome: event.payload.transactionRequestState,
        transactionRequestId,
        transactionState,
        transactionId: idOrNothing(transactionId),
      }
    }
    case 'ThirdPartyAuthorizationObserved': {
      const { authorizationRequestId, transactionRequestId, challengeHash } = event.payload
      return {
        ...messageOf(event),
        about: 'AUTHORIZATION',
        subjectId: authorizationRequestId,
        outcome: event.payload.responseType,
        transactionRequestId,
        challengeHash,
      }
    }
    case 'ThirdPartyVerificationObserved': {
      const { verificationRequestId, consentId, challengeHash } = event.payload
      return {
        ...messageOf(event),
        about: 'VERIFICATION',
        subjectId: verificationRequestId,
        outcome: event.payload.authenticationResponse,
        consentId,
        challengeHash,
      }
    }
    case 'VerificationReceived':
      return verificationOf(event, participant)
  }
}

type Observed = Exclude<ThirdPartyEvent, { readonly name: 'VerificationReceived' }>

function messageOf({ id, payload }: Observed) {
  const { method, sourceFspId, destinationFspId, receivedAt, error } = payload
  return {
    ...nothing,
    eventId: id,
    method,
    source: sourceFspId,
    destination: destinationFspId,
    receivedAt: new Date(receivedAt),
    error,
  }
}

/** The answers of the hosted auth service are in `verifications`. */
function verificationOf(
  event: DomainEvent<'VerificationReceived'>,
  participant: string,
): TransactionMessage {
  const { verificationRequestId, consentId, requesterFspId, receivedAt } = event.payload
  const reading = readBody(postVerifications, event.relay?.body ?? Buffer.alloc(0))
  return {
    ...nothing,
    eventId: event.id,
    about: 'VERIFICATION',
    subjectId: verificationRequestId,
    method: 'POST',
    source: requesterFspId,
    destination: participant,
    receivedAt: new Date(receivedAt),
    consentId,
    // The auth service refuses an invalid body, which belongs to no payment.
    challengeHash: reading.ok ? hash('sha256', reading.value.challenge, 'base64url') : undefined,
  }
}

const id_length_max = 64

/** A DFSP may write any text there; only an id names a transaction. */
function idOrNothing(text: string | undefined): string | undefined {
  return text === undefined || text.length > id_length_max ? undefined : text
}
