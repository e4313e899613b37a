/**
 * The events of a bulk transfer's life: one for the bulk at each step, never one for an item. On
 * topics of their own, because one of them may hold a body of 5 MiB: no single transfer waits
 * behind it.
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

/**
 * How transfers of one currency between the two FSPs are settled; the ledger finds missing
 * accounts.
 */
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

/** An item that is final. */
const endedItem = z.object({
  transferId: z.string(),
  amount: money,
  completedTimestamp: z.string(),
  /** There when it is committed. */
  committed: z
    .object({
      settlementModelId: z.int(),
      settles,
      /** Absent when settled gross at once. */
      settlementWindowId: z.int().optional(),
      payerAccountId: z.int().optional(),
      payeeAccountId: z.int().optional(),
    })
    .optional(),
  /** There when it is aborted. */
  errorInformation: errorInformation.optional(),
})

const ended = z.object({
  bulkTransferId: z.string(),
  payerFsp: z.string(),
  payeeFsp: z.string(),
  payerVersion: z.string(),
  completedTimestamp: z.string(),
  /** One for each item, in the order of the request. */
  individualTransferResults: z.array(individualTransferResult),
  /**
   * What the payee FSP receives; absent when nothing was sent to it, or when it has refused the
   * bulk itself. `hasSpoken` is false when it never answered, and `leftOut` holds the positions,
   * from 0, of the results that were not sent to it.
   */
  payee: z
    .object({ version: z.string(), hasSpoken: z.boolean(), leftOut: z.array(z.int()) })
    .optional(),
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
const topic = 'transfers.bulk-transfers'

function report(about: string) {
  return define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['transfers'],
    key: null,
    about,
    schema: callbackReports,
  })
}

export const bulkTransferEvents = {
  BulkTransferPrepareRequested: define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['settlements'],
    key: 'bulkTransferId',
    about: 'A payer FSP asked for the transfers of a bulk with a valid POST /bulkTransfers.',
    schema: prepare,
  }),
  BulkTransferPrepareAccountsAllocated: define({
    topic: allocations,
    publishers: ['settlements'],
    consumers: ['transfers'],
    key: 'bulkTransferId',
    about:
      'The same request with the settlement model and the accounts of each of its currencies; a ' +
      'currency without one is served by no active model.',
    schema: prepare.extend({ allocations: z.array(allocation) }),
  }),
  BulkTransferPrepared: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api'],
    key: 'bulkTransferId',
    about:
      'The ledger has decided every item and holds at least one reservation: the payee FSP is to be ' +
      "asked. The relay is the payer FSP's message.",
    schema: z.object({
      bulkTransferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      expiration: z.string(),
      preparedAt: z.string(),
      version: z.string(),
      /**
       * Positions, from 0, of the items that are not reserved; when there are any, the hub speaks.
       */
      leftOut: z.array(z.int()),
    }),
  }),
  BulkTransferPrepareCallbackReport: report('How POST /bulkTransfers reached the payee FSP.'),
  BulkTransferFulfilRequested: define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['transfers'],
    key: 'bulkTransferId',
    about: 'A payee FSP answered with PUT /bulkTransfers/{id}.',
    schema: z.object({
      bulkTransferId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
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
    publishers: ['fspiop-api'],
    consumers: ['transfers'],
    key: 'bulkTransferId',
    about: 'A payee FSP refused the whole bulk with PUT /bulkTransfers/{id}/error.',
    schema: z.object({
      bulkTransferId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
      errorInformation,
      payloadHash: z.string(),
      receivedAt: z.string(),
      version: z.string(),
    }),
  }),
  BulkTransferItemsEnded: define({
    topic,
    publishers: ['transfers'],
    consumers: ['settlements', 'quoting'],
    key: 'bulkTransferId',
    about:
      'The ledger has posted, voided or refused these items of a bulk: they are final. An item whose id ' +
      'was used before is none of them.',
    schema: z.object({
      bulkTransferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      /** When the bulk came to the hub. */
      receivedAt: z.string(),
      /** The hub's clock. */
      endedAt: z.string(),
      items: z.array(endedItem),
    }),
  }),
  BulkTransferCompleted: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api'],
    key: 'bulkTransferId',
    about:
      'Every item is final, and the bulk is COMPLETED: at least one is committed, or time ran out.',
    schema: ended,
  }),
  BulkTransferCompletedCallbackReport: report('How that reached both FSPs.'),
  BulkTransferRejected: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api'],
    key: 'bulkTransferId',
    about:
      'Every item is final, none is committed, and the bulk is REJECTED: by the payee FSP, or because ' +
      'nothing could be reserved.',
    schema: ended.extend({
      /** Of the bulk as a whole: the payer FSP gets PUT …/error. */
      errorInformation: errorInformation.optional(),
    }),
  }),
  BulkTransferRejectedCallbackReport: report('How that reached both FSPs.'),
  BulkTransferPrepareRefused: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api'],
    key: 'bulkTransferId',
    about:
      'The request as a whole cannot be served: its FSPs, its time, its quote, or its id used before.',
    schema: query.extend({ errorInformation }),
  }),
  BulkTransferPrepareRefusedCallbackReport: report('How that reached the requester.'),
  BulkTransferQueryReceived: define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['settlements'],
    key: 'bulkTransferId',
    about: 'An FSP asked with GET /bulkTransfers/{id}.',
    schema: query,
  }),
  BulkTransferQueryPassedOn: define({
    topic: allocations,
    publishers: ['settlements'],
    consumers: ['transfers'],
    key: 'bulkTransferId',
    about:
      'The same question behind each request that was accepted before it: none of them is unknown.',
    schema: query,
  }),
  BulkTransferQueryResponse: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api'],
    key: 'bulkTransferId',
    about: 'The stored state, for a GET, a repeated POST or PUT, or a message that came too late.',
    schema: query.extend({
      legRole: z.enum(['PAYER', 'PAYEE', 'REQUESTER']),
      bulkTransferState: bulkTransferState.optional(),
      completedTimestamp: z.string().optional(),
      /** Of a bulk that is final: those that concern the role, in the order of the request. */
      individualTransferResults: z.array(individualTransferResult).optional(),
      /** There exactly when the state is not: PUT …/error. */
      errorInformation: errorInformation.optional(),
    }),
  }),
  BulkTransferQueryResponseCallbackReport: report('How the answer to a question was delivered.'),
}
