/** One valid body for each message of the API, with every known member. */
import type { z } from 'zod'
import { putAuthorizations } from '../resources/authorizations.ts'
import {
  postParticipant,
  postParticipants,
  putParticipant,
  putParticipantsBatch,
} from '../resources/participants.ts'
import { putParties } from '../resources/parties.ts'
import { postQuotes, putQuotes } from '../resources/quotes.ts'
import {
  postTransactionRequests,
  putTransactionRequests,
  putTransactionRequestsAnyState,
} from '../resources/transactionRequests.ts'
import { putTransactions } from '../resources/transactions.ts'
import { patchTransfers, postTransfers, putTransfers } from '../resources/transfers.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export const uuid = 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'
export const expiration = '2030-01-01T00:00:00.000Z'
export const usd = (amount: string) => ({ currency: 'USD', amount })
export const payerInfo = { partyIdType: 'MSISDN', partyIdentifier: '987654321', fspId: 'payerfsp' }
export const payeeInfo = { partyIdType: 'MSISDN', partyIdentifier: '123456789', fspId: 'payeefsp' }
export const transactionType = {
  scenario: 'TRANSFER',
  initiator: 'PAYER',
  initiatorType: 'CONSUMER',
}
export const geoCode = { latitude: '+45.4215', longitude: '-75.6972' }
export const ilpPacket = 'ASgAAAAAAAAmrBtnLnBheWVlZnNwLm1zaXNkbi4xMjM0NTY3ODkCe30A'
export const condition = '31mEPsoCTiT3CbL_wRJkXW_rXz0WqDrKiR9a8PJMgnw'
export const complexName = { firstName: 'Ana', middleName: 'M.', lastName: 'Silva' }
export const otp = { authentication: 'OTP', authenticationValue: '0123' }

/** An extension list of `count` entries. */
export function extensions(count: number) {
  return {
    extension: Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: 'v' })),
  }
}

export interface ExampleMessage {
  readonly name: string
  readonly schema: z.ZodType
  /** With every member that the API knows. */
  readonly body: JsonObject
  /** Paths of what must be there. */
  readonly required: readonly string[]
  readonly hasExtensions?: true
}

export const messages: readonly ExampleMessage[] = [
  {
    name: 'POST /participants',
    schema: postParticipants,
    body: {
      requestId: uuid,
      partyList: [
        {
          partyIdType: 'PERSONAL_ID',
          partyIdentifier: 'A12345',
          partySubIdOrType: 'PASSPORT',
          fspId: 'payerfsp',
          extensionList: extensions(16),
        },
      ],
      currency: 'USD',
    },
    required: [
      '/requestId',
      '/partyList',
      '/partyList/0/partyIdType',
      '/partyList/0/partyIdentifier',
    ],
  },
  {
    name: 'PUT /participants/{ID}',
    schema: putParticipantsBatch,
    body: {
      partyList: [
        {
          partyId: { partyIdType: 'MSISDN', partyIdentifier: '123456789' },
          errorInformation: {
            errorCode: '3003',
            errorDescription: 'Add Party information error',
            extensionList: extensions(1),
          },
        },
      ],
      currency: 'USD',
    },
    required: [
      '/partyList',
      '/partyList/0/partyId',
      '/partyList/0/errorInformation/errorCode',
      '/partyList/0/errorInformation/errorDescription',
    ],
  },
  {
    name: 'POST /participants/{Type}/{ID}',
    schema: postParticipant,
    body: { fspId: 'payerfsp', currency: 'USD' },
    required: ['/fspId'],
    hasExtensions: true,
  },
  {
    name: 'PUT /participants/{Type}/{ID}',
    schema: putParticipant,
    body: { fspId: 'payerfsp' },
    required: [],
  },
  {
    name: 'PUT /parties/{Type}/{ID}',
    schema: putParties,
    body: {
      party: {
        partyIdInfo: { ...payeeInfo, partySubIdOrType: 'home', extensionList: extensions(16) },
        merchantClassificationCode: '5812',
        name: 'Ana & Sons @ the Corner',
        personalInfo: { complexName, dateOfBirth: '1986-02-14' },
      },
    },
    required: [
      '/party',
      '/party/partyIdInfo',
      '/party/partyIdInfo/partyIdType',
      '/party/partyIdInfo/partyIdentifier',
    ],
  },
  {
    name: 'POST /transactionRequests',
    schema: postTransactionRequests,
    body: {
      transactionRequestId: uuid,
      payee: { partyIdInfo: payeeInfo },
      payer: payerInfo,
      amount: usd('99'),
      transactionType: { ...transactionType, initiator: 'PAYEE', initiatorType: 'BUSINESS' },
      note: 'n',
      geoCode,
      authenticationType: 'OTP',
      expiration,
    },
    required: [
      '/transactionRequestId',
      '/payee',
      '/payee/partyIdInfo',
      '/payer',
      '/payer/partyIdType',
      '/payer/partyIdentifier',
      '/amount',
      '/amount/currency',
      '/amount/amount',
      '/transactionType',
      '/transactionType/scenario',
      '/transactionType/initiator',
      '/transactionType/initiatorType',
      '/geoCode/latitude',
      '/geoCode/longitude',
    ],
    hasExtensions: true,
  },
  ...[putTransactionRequests, putTransactionRequestsAnyState].map((schema) => ({
    name: 'PUT /transactionRequests/{ID}',
    schema,
    body: { transactionId: uuid, transactionRequestState: 'RECEIVED' },
    required: ['/transactionRequestState'],
    hasExtensions: true as const,
  })),
  {
    name: 'POST /quotes',
    schema: postQuotes,
    body: {
      quoteId: uuid,
      transactionId: uuid,
      transactionRequestId: uuid,
      payee: { partyIdInfo: payeeInfo },
      payer: { partyIdInfo: payerInfo, personalInfo: { complexName } },
      amountType: 'SEND',
      amount: usd('99'),
      fees: usd('0.5'),
      transactionType: {
        ...transactionType,
        subScenario: 'LOCALLY_DEFINED',
        refundInfo: { originalTransactionId: uuid, refundReason: 'free text' },
        balanceOfPayments: '123',
      },
      geoCode,
      note: 'n',
      expiration,
    },
    required: [
      '/quoteId',
      '/transactionId',
      '/payee',
      '/payer',
      '/payer/partyIdInfo',
      '/amountType',
      '/amount',
      '/fees/amount',
      '/transactionType',
      '/transactionType/refundInfo/originalTransactionId',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /quotes/{ID}',
    schema: putQuotes,
    body: {
      transferAmount: usd('99'),
      payeeReceiveAmount: usd('98'),
      payeeFspFee: usd('1'),
      payeeFspCommission: usd('0'),
      expiration,
      geoCode,
      ilpPacket,
      condition,
    },
    required: [
      '/transferAmount',
      '/payeeFspFee/currency',
      '/expiration',
      '/ilpPacket',
      '/condition',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /authorizations/{ID}',
    schema: putAuthorizations,
    body: { authenticationInfo: otp, responseType: 'ENTERED' },
    required: [
      '/responseType',
      '/authenticationInfo',
      '/authenticationInfo/authentication',
      '/authenticationInfo/authenticationValue',
    ],
  },
  {
    name: 'PUT /transactions/{ID}',
    schema: putTransactions,
    body: { completedTimestamp: expiration, transactionState: 'COMPLETED', code: 'ABCD1234' },
    required: ['/transactionState'],
    hasExtensions: true,
  },
  {
    name: 'POST /transfers',
    schema: postTransfers,
    body: {
      transferId: uuid,
      payeeFsp: 'payeefsp',
      payerFsp: 'payerfsp',
      amount: usd('99'),
      ilpPacket,
      condition,
      expiration,
    },
    required: [
      '/transferId',
      '/payeeFsp',
      '/payerFsp',
      '/amount',
      '/ilpPacket',
      '/condition',
      '/expiration',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /transfers/{ID}',
    schema: putTransfers,
    body: { fulfilment: condition, completedTimestamp: expiration, transferState: 'COMMITTED' },
    required: ['/transferState'],
    hasExtensions: true,
  },
  {
    name: 'PATCH /transfers/{ID}',
    schema: patchTransfers,
    body: { completedTimestamp: expiration, transferState: 'COMMITTED' },
    required: ['/completedTimestamp', '/transferState'],
    hasExtensions: true,
  },
]
