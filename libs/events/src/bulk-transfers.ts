/**
 * The events of a bulk transfer's life: one for the bulk at each step, never one for an item. On topics
 * of their own, because one of them may hold a body of 5 MiB: no single transfer waits behind it.
 *
 * The ILP packets are not repeated in the payloads: they travel once, inside the relayed body.
 */
import { z } from 'zod'
import { define } from './define.ts'
import { callbackReports, errorInformation, extensionList, money } from './parts.ts'
import { settles } from './transfers.ts'

const individualTransfer = z.object({
  transferId: z.string(),
  amount: money,
  condition: z.string(),
})

const prepare = z.object({
  bulkTransferId: z.string(),
  bulkQuoteId: z.string(),
  payerFsp: z.string(),
  payeeFsp: z.string(),
  expiration: z.string(),
  /** In the order of the request, which is the order in which they are decided. */
  individualTransfers: z.array(individualTransfer),
  /** SHA-256 of the canonical JSON body, base64url. */
  payloadHash: z.string(),
  receivedAt: z.string(),
  version: z.string(),
})

/** How transfers of one currency between the two FSPs are settled; the ledger finds missing accounts. */
const allocation = z.object({
  currency: z.string(),
  settlementModelId: z.int(),
  settlementModel: z.string(),
  settles,
  payerAccountId: z.int().optional(),
  payeeAccountId: z.int().optional(),
})

const individualTransferResult = z.object({
  transferId: z.string(),
  fulfilment: z.string().optional(),
  errorInformation: errorInformation.optional(),
  extensionList: extensionList.optional(),
})

const query = z.object({
  bulkTransferId: z.string(),
  requesterFspId: z.string(),
  version: z.string(),
})

const bulkTransferState = z.enum([
  'RECEIVED',
  'PENDING',
  'ACCEPTED',
  'PROCESSING',
  'COMPLETED',
  'REJECTED',
])

const asked = 'fspiop-api.bulk-transfers'
const allocations = 'settlements.bulk-allocations'
const said = 'transfers.bulk-transfers'

function report(about: string) {
  return define({
    topic: asked,
    publishers: [],
    consumers: [],
    key: null,
    about,
    schema: callbackReports,
  })
}

export const bulkTransferEvents = {
  BulkTransferPrepareRequested: define({
    topic: asked,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about: 'A payer FSP asked for the transfers of a bulk with a valid POST /bulkTransfers.',
    schema: prepare,
  }),
  BulkTransferPrepareAccountsAllocated: define({
    topic: allocations,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about:
      'The same request with the settlement model and the accounts of each of its currencies; a ' +
      'currency without one is served by no active model.',
    schema: prepare.extend({ allocations: z.array(allocation) }),
  }),
  BulkTransferPrepared: define({
    topic: said,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about:
      'The ledger has decided every item and holds at least one reservation: the payee FSP is to be ' +
      "asked. When all are reserved, the relay is the payer FSP's message; else the hub's, without " +
      'headers, with the reserved items in their order.',
    schema: z.object({
      bulkTransferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      expiration: z.string(),
      preparedAt: z.string(),
      /** Of a message of the hub. */
      version: z.string(),
      /** The header FSPIOP-Encryption of a message of the hub. */
      encryption: z.string().optional(),
    }),
  }),
  BulkTransferPrepareCallbackReport: report('How POST /bulkTransfers reached the payee FSP.'),
  BulkTransferFulfilRequested: define({
    topic: asked,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about: 'A payee FSP answered with PUT /bulkTransfers/{id}.',
    schema: z.object({
      bulkTransferId: z.string(),
      requesterFspId: z.string(),
      /** '' when the sender left it to the hub to know for whom it is; so also in a reject. */
      destinationFspId: z.string(),
      bulkTransferState,
      completedTimestamp: z.string().optional(),
      individualTransferResults: z.array(individualTransferResult),
      payloadHash: z.string(),
      receivedAt: z.string(),
      version: z.string(),
    }),
  }),
  BulkTransferRejectRequested: define({
    topic: asked,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about: 'A payee FSP refused the whole bulk with PUT /bulkTransfers/{id}/error.',
    schema: z.object({
      bulkTransferId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string(),
      errorInformation,
      payloadHash: z.string(),
      receivedAt: z.string(),
      version: z.string(),
    }),
  }),
  BulkTransferCompleted: define({
    topic: said,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about:
      'Every item is final, and the bulk is COMPLETED. The relay is the body that the payer FSP is ' +
      'told: one result for each item, in the order of the request.',
    schema: z.object({
      bulkTransferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      payerVersion: z.string(),
      completedTimestamp: z.string(),
    }),
  }),
  BulkTransferCompletedCallbackReport: report('How that reached both FSPs.'),
  BulkTransferRejected: define({
    topic: said,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about: 'Every item is final, none is committed, and the bulk is REJECTED.',
    schema: z.object({
      bulkTransferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      payerVersion: z.string(),
      completedTimestamp: z.string(),
      /** Of the whole bulk: PUT …/error; absent: the relay is the body with the error of each item. */
      errorInformation: errorInformation.optional(),
    }),
  }),
  BulkTransferRejectedCallbackReport: report('How that reached both FSPs.'),
  BulkTransferPrepareRefused: define({
    topic: said,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about:
      'The request as a whole cannot be served: its FSPs, its time, its quote, or its id used before.',
    schema: query.extend({ errorInformation }),
  }),
  BulkTransferPrepareRefusedCallbackReport: report('How that reached the requester.'),
  BulkTransferQueryReceived: define({
    topic: asked,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about: 'An FSP asked with GET /bulkTransfers/{id}.',
    schema: query,
  }),
  BulkTransferQueryPassedOn: define({
    topic: allocations,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about:
      'The same question behind each request that was accepted before it: none of them is unknown.',
    schema: query,
  }),
  BulkTransferQueryResponse: define({
    topic: said,
    publishers: [],
    consumers: [],
    key: 'bulkTransferId',
    about:
      'The stored state, for a GET, a repeated POST or PUT, or a message that came too late: the relay ' +
      'is the body of the answer unless there is an error.',
    schema: query.extend({
      legRole: z.enum(['PAYER', 'PAYEE', 'REQUESTER']),
      errorInformation: errorInformation.optional(),
    }),
  }),
  BulkTransferQueryResponseCallbackReport: report('How the answer to a question was delivered.'),
}
