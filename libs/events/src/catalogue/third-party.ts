/**
 * Payments that a PISP began, as the edge sees their messages pass: what the story of a payment and
 * the reconciliation are made of. The messages themselves are between the FSPs and are no events.
 */
import { z } from 'zod'
import { define } from './define.ts'

const observed = {
  topic: 'fspiop-api.third-party',
  publishers: ['fspiop-api'],
  consumers: ['auth-service'],
} as const

/** The message, its sender and its recipient. */
const message = {
  method: z.enum(['POST', 'PUT', 'PATCH']),
  sourceFspId: z.string(),
  destinationFspId: z.string(),
  receivedAt: z.string(),
  /** Of PUT …/error. */
  error: z.object({ errorCode: z.string(), errorDescription: z.string() }).optional(),
}

/**
 * Two messages that name the same challenge are about the same payment: SHA-256 of it, base64url.
 */
const challengeHash = z.string().optional()

export const thirdPartyEvents = {
  ThirdPartyTransactionObserved: define({
    ...observed,
    key: 'transactionRequestId',
    about: 'A message of /thirdpartyRequests/transactions was passed on.',
    schema: z.object({
      transactionRequestId: z.string(),
      ...message,
      /** Absent in POST and PUT …/error. */
      transactionRequestState: z.string().optional(),
      transactionState: z.string().optional(),
      transactionId: z.string().optional(),
    }),
  }),
  ThirdPartyAuthorizationObserved: define({
    ...observed,
    key: 'authorizationRequestId',
    about: 'A message of /thirdpartyRequests/authorizations was passed on.',
    schema: z.object({
      authorizationRequestId: z.string(),
      ...message,
      /** Of POST. */
      transactionRequestId: z.string().optional(),
      challengeHash,
      /** Of PUT. */
      responseType: z.enum(['ACCEPTED', 'REJECTED']).optional(),
    }),
  }),
  ThirdPartyVerificationObserved: define({
    ...observed,
    key: 'verificationRequestId',
    about: 'A message to or from an auth service that the hub does not host was passed on.',
    schema: z.object({
      verificationRequestId: z.string(),
      ...message,
      /** Of POST. */
      consentId: z.string().optional(),
      challengeHash,
      /** Of PUT. */
      authenticationResponse: z.string().optional(),
    }),
  }),
}
