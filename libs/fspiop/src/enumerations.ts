/** The closed value lists of the API, upper case, compared as sent. FSPIOP 7.5. */
import { z } from 'zod'

export const amountType = z.enum(['SEND', 'RECEIVE'])

/** U2F is of the implementation's schema only: read, never written. */
export const authenticationType = z.enum(['OTP', 'QRCODE', 'U2F'])

export const authorizationResponse = z.enum(['ENTERED', 'REJECTED', 'RESEND'])

export const bulkTransferState = z.enum([
  'RECEIVED',
  'PENDING',
  'ACCEPTED',
  'PROCESSING',
  'COMPLETED',
  'REJECTED',
])

/** The last three are of the Third-Party API, one of them in both of its spellings. */
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

export const personalIdentifierType = z.enum([
  'PASSPORT',
  'NATIONAL_REGISTRATION',
  'DRIVING_LICENSE',
  'ALIEN_REGISTRATION',
  'NATIONAL_ID_CARD',
  'EMPLOYER_ID',
  'TAX_ID_NUMBER',
  'SENIOR_CITIZENS_CARD',
  'MARRIAGE_CERTIFICATE',
  'HEALTH_CARD',
  'VOTERS_ID',
  'UNITED_NATIONS',
  'OTHER_ID',
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

/** As it is written; `resources/transfers.ts` reads it in any case of letters. */
export const transferState = z.enum(['RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED'])

/** Of the Third-Party API: which kind of participant GET /services lists. */
export const serviceType = z.enum(['THIRD_PARTY_DFSP', 'PISP', 'AUTH_SERVICE'])

export const consentStatus = z.enum(['ISSUED', 'REVOKED'])

export const credentialStatus = z.enum(['PENDING', 'VERIFIED'])

/** Also the type of a signed payload. */
export const credentialType = z.enum(['FIDO', 'GENERIC'])

export type AmountType = z.infer<typeof amountType>
export type AuthenticationType = z.infer<typeof authenticationType>
export type BulkTransferState = z.infer<typeof bulkTransferState>
export type ConsentStatus = z.infer<typeof consentStatus>
export type CredentialStatus = z.infer<typeof credentialStatus>
export type CredentialType = z.infer<typeof credentialType>
export type PartyIdType = z.infer<typeof partyIdType>
export type ServiceType = z.infer<typeof serviceType>
export type TransactionRequestState = z.infer<typeof transactionRequestState>
export type TransactionState = z.infer<typeof transactionState>
export type TransferState = z.infer<typeof transferState>
