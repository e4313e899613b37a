/** The closed value lists of the API, upper case, compared as sent but for channels. FSPIOP 7.5. */
import { z } from 'zod'

export const amountType = z.enum(['SEND', 'RECEIVE'])

/** U2F is only in the implementation's schema: accepted, never sent. */
export const authenticationType = z.enum(['OTP', 'QRCODE', 'U2F'])

export const bulkTransferState = z.enum([
  'RECEIVED',
  'PENDING',
  'ACCEPTED',
  'PROCESSING',
  'COMPLETED',
  'REJECTED',
])

/** The last three belong to the Third-Party API, one of them in both of its spellings. */
export const partyIdType = z.enum([
  'MSISDN',
  'EMAIL',
  'PERSONAL_ID',
  'BUSINESS',
  'DEVICE',
  'ACCOUNT_ID',
  'IBAN',
  'ALIAS',
  'CONSENT',
  'CONSENTS',
  'THIRD_PARTY_LINK',
])

export const transactionInitiator = z.enum(['PAYER', 'PAYEE'])

export const transactionInitiatorType = z.enum(['CONSUMER', 'AGENT', 'BUSINESS', 'DEVICE'])

export const transactionRequestState = z.enum(['RECEIVED', 'PENDING', 'ACCEPTED', 'REJECTED'])

export const transactionScenario = z.enum([
  'DEPOSIT',
  'WITHDRAWAL',
  'TRANSFER',
  'PAYMENT',
  'REFUND',
])

export const transactionState = z.enum(['RECEIVED', 'PENDING', 'COMPLETED', 'REJECTED'])

/** As sent; `resources/transfers.ts` accepts upper and lower case. */
export const transferState = z.enum(['RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED'])

/** Third-Party API: the kind of participant that GET /services lists. */
export const serviceType = z.enum(['THIRD_PARTY_DFSP', 'PISP', 'AUTH_SERVICE'])

export const consentStatus = z.enum(['ISSUED', 'REVOKED'])

export const credentialStatus = z.enum(['PENDING', 'VERIFIED'])

/** Also the type of a signed payload. */
export const credentialType = z.enum(['FIDO', 'GENERIC'])

/** Third-Party API: how a user authenticates; compared without case, because clients write `Web`. */
export const authChannel = z
  .string()
  .regex(/^(?:WEB|OTP)$/i, { error: 'not one of its values' })
  .meta({ description: 'WEB or OTP' })

export type AmountType = z.infer<typeof amountType>
export type PartyIdType = z.infer<typeof partyIdType>
export type ServiceType = z.infer<typeof serviceType>
