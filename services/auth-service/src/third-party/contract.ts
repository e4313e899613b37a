/** From events to the messages that were seen. */
import type { DomainEvent, EventName } from '@causeway/events'
import { postVerifications, readBody } from '@causeway/fspiop'
import { hash } from 'node:crypto'
import type { Step } from './domain/transaction.ts'

export const heardOfThirdParties = [
  'ThirdPartyTransactionObserved',
  'ThirdPartyAuthorizationObserved',
  'ThirdPartyVerificationObserved',
  'VerificationReceived',
] as const satisfies readonly EventName[]

export type ThirdPartyEvent = DomainEvent<(typeof heardOfThirdParties)[number]>

const nothing = {
  outcome: undefined,
  error: undefined,
  transactionRequestId: undefined,
  transactionId: undefined,
  transactionState: undefined,
  consentId: undefined,
  challengeHash: undefined,
} as const

/** @param participant that the hosted auth service is */
export function stepOf(event: ThirdPartyEvent, participant: string): Step {
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

/** What the hosted auth service answers is in `verifications`. */
function verificationOf(event: DomainEvent<'VerificationReceived'>, participant: string): Step {
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
    // A body that cannot be read is refused by the auth service, and belongs to no payment.
    challengeHash: reading.ok ? hash('sha256', reading.value.challenge, 'base64url') : undefined,
  }
}

const id_length_max = 64

/** A DFSP may write anything there; what is no id names no transaction. */
function idOrNothing(text: string | undefined): string | undefined {
  return text === undefined || text.length > id_length_max ? undefined : text
}
