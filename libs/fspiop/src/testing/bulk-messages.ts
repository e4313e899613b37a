/** One valid body for each bulk message, with every known member. */
import { postBulkQuotes, putBulkQuotes } from '../resources/bulkQuotes.ts'
import { postBulkTransfers, putBulkTransfers } from '../resources/bulkTransfers.ts'
import {
  complexName,
  condition,
  expiration,
  extensions,
  geoCode,
  ilpPacket,
  type ExampleMessage,
  payeeInfo,
  payerInfo,
  transactionType,
  usd,
  uuid,
} from './messages.ts'

const otherUuid = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'

export const bulkMessages: readonly ExampleMessage[] = [
  {
    name: 'POST /bulkQuotes',
    schema: postBulkQuotes,
    body: {
      bulkQuoteId: uuid,
      payer: { partyIdInfo: payerInfo, personalInfo: { complexName } },
      geoCode,
      expiration,
      individualQuotes: [
        {
          quoteId: uuid,
          transactionId: uuid,
          payee: { partyIdInfo: payeeInfo },
          amountType: 'RECEIVE',
          amount: usd('99'),
          fees: usd('0.5'),
          transactionType,
          note: 'n',
          extensionList: extensions(16),
        },
      ],
    },
    required: [
      '/bulkQuoteId',
      '/payer',
      '/individualQuotes',
      '/individualQuotes/0/quoteId',
      '/individualQuotes/0/transactionId',
      '/individualQuotes/0/payee',
      '/individualQuotes/0/amountType',
      '/individualQuotes/0/amount',
      '/individualQuotes/0/transactionType',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /bulkQuotes/{ID}',
    schema: putBulkQuotes,
    body: {
      individualQuoteResults: [
        {
          quoteId: uuid,
          payee: { partyIdInfo: payeeInfo },
          transferAmount: usd('99'),
          payeeReceiveAmount: usd('98'),
          payeeFspFee: usd('1'),
          payeeFspCommission: usd('0'),
          ilpPacket,
          condition,
          extensionList: extensions(16),
        },
        {
          quoteId: otherUuid,
          errorInformation: {
            errorCode: '5103',
            errorDescription: 'Payee FSP rejected quote',
            extensionList: extensions(1),
          },
        },
      ],
      expiration,
    },
    required: [
      '/expiration',
      '/individualQuoteResults/0/quoteId',
      '/individualQuoteResults/0/transferAmount/currency',
      '/individualQuoteResults/1/errorInformation/errorCode',
    ],
    hasExtensions: true,
  },
  {
    name: 'POST /bulkTransfers',
    schema: postBulkTransfers,
    body: {
      bulkTransferId: uuid,
      bulkQuoteId: uuid,
      payeeFsp: 'payeefsp',
      payerFsp: 'payerfsp',
      individualTransfers: [
        {
          transferId: uuid,
          transferAmount: usd('99'),
          ilpPacket,
          condition,
          extensionList: extensions(16),
        },
      ],
      expiration,
    },
    required: [
      '/bulkTransferId',
      '/bulkQuoteId',
      '/payeeFsp',
      '/payerFsp',
      '/individualTransfers',
      '/individualTransfers/0/transferId',
      '/individualTransfers/0/transferAmount',
      '/individualTransfers/0/ilpPacket',
      '/individualTransfers/0/condition',
      '/expiration',
    ],
    hasExtensions: true,
  },
  {
    name: 'PUT /bulkTransfers/{ID}',
    schema: putBulkTransfers,
    body: {
      completedTimestamp: expiration,
      individualTransferResults: [
        { transferId: uuid, fulfilment: condition, extensionList: extensions(16) },
        {
          transferId: otherUuid,
          errorInformation: { errorCode: '5104', errorDescription: 'Payee rejected transaction' },
        },
      ],
      bulkTransferState: 'COMPLETED',
    },
    required: [
      '/bulkTransferState',
      '/individualTransferResults/0/transferId',
      '/individualTransferResults/1/errorInformation/errorDescription',
    ],
    hasExtensions: true,
  },
]
