/**
 * Events for the auth service about relayed messages of payments that a PISP initiated: sender,
 * recipient, time and answer. They contain no signed content and no party.
 */
import { hash } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import type { Incoming } from '../chain.ts'
import { traceOf } from '../bodies/reading.ts'

type Method = 'POST' | 'PUT' | 'PATCH'

/** The members of a message that the events contain; the ids are those of its body. */
export interface ObservedMembers {
  readonly transactionRequestState?: string | undefined
  readonly transactionState?: string | undefined
  readonly transactionId?: string | undefined
  readonly transactionRequestId?: string | undefined
  readonly challenge?: string | undefined
  readonly responseType?: 'ACCEPTED' | 'REJECTED' | undefined
  readonly consentId?: string | undefined
  readonly authenticationResponse?: string | undefined
  readonly errorInformation?:
    | { readonly errorCode: string; readonly errorDescription: string }
    | undefined
}

/** POST, and PUT or PATCH with the state of the transaction from the DFSP. */
export function transactionObserved(
  message: Incoming,
  method: Method,
  transactionRequestId: string,
  body: ObservedMembers,
): OutgoingMessage {
  const { transactionRequestState, transactionState, transactionId } = body
  const payload = {
    transactionRequestId,
    ...between(message, method, body),
    ...(transactionRequestState === undefined ? {} : { transactionRequestState }),
    ...(transactionState === undefined ? {} : { transactionState }),
    ...(transactionId === undefined ? {} : { transactionId }),
  }
  return newEvent('fspiop-api', 'ThirdPartyTransactionObserved', payload, traceOf(message))
}

export function authorizationObserved(
  message: Incoming,
  method: Method,
  authorizationRequestId: string,
  body: ObservedMembers,
): OutgoingMessage {
  const { transactionRequestId, challenge, responseType } = body
  const payload = {
    authorizationRequestId,
    ...between(message, method, body),
    ...(transactionRequestId === undefined ? {} : { transactionRequestId }),
    ...(challenge === undefined ? {} : { challengeHash: challengeHashOf(challenge) }),
    ...(responseType === undefined ? {} : { responseType }),
  }
  return newEvent('fspiop-api', 'ThirdPartyAuthorizationObserved', payload, traceOf(message))
}

export function verificationObserved(
  message: Incoming,
  method: Method,
  verificationRequestId: string,
  body: ObservedMembers,
): OutgoingMessage {
  const { consentId, challenge, authenticationResponse } = body
  const payload = {
    verificationRequestId,
    ...between(message, method, body),
    ...(consentId === undefined ? {} : { consentId }),
    ...(challenge === undefined ? {} : { challengeHash: challengeHashOf(challenge) }),
    ...(authenticationResponse === undefined ? {} : { authenticationResponse }),
  }
  return newEvent('fspiop-api', 'ThirdPartyVerificationObserved', payload, traceOf(message))
}

function between(
  { source, destination, receivedAt }: Incoming,
  method: Method,
  { errorInformation }: ObservedMembers,
) {
  return {
    method,
    sourceFspId: source,
    // Without a destination the message is not relayed, and no event is published.
    destinationFspId: destination ?? '',
    receivedAt,
    ...(errorInformation === undefined
      ? {}
      : {
          error: {
            errorCode: errorInformation.errorCode,
            errorDescription: errorInformation.errorDescription,
          },
        }),
  }
}

/** The challenge is long, and an encrypted one cannot be compared as text. */
function challengeHashOf(challenge: string): string {
  return hash('sha256', challenge, 'base64url')
}
