/**
 * The events of a transfer's life. `version` members name the API version (1.0 or 1.1) that the FSP
 * in question used, so that messages which the hub makes for it carry the same one.
 *
 * The ILP packet is not repeated in the payloads: it travels once, inside the relayed body.
 */
import { settlementKindValues } from '@causeway/protos'
import { z } from 'zod'
import { define } from './define.ts'
import { callbackReports, errorInformation, extensionList, money, position } from './parts.ts'

/**
 * How a transfer is settled; decided when it is allocated, stored by the ledger's first reserve.
 */
export const settles = z.enum(settlementKindValues)

const prepare = z.object({
  transferId: z.string(),
  payerFsp: z.string(),
  payeeFsp: z.string(),
  amount: money,
  expiration: z.string(),
  condition: z.string(),
  /** SHA-256 of the canonical JSON body, base64url. */
  payloadHash: z.string(),
  extensionList: extensionList.optional(),
  receivedAt: z.string(),
  version: z.string(),
})

const allocated = prepare.extend({
  /** Absent when no active model serves the currency; the transfer is then refused. */
  settlementModelId: z.int().optional(),
  settlementModel: z.string().optional(),
  settles: settles.optional(),
  /** Hints: the ledger finds the accounts by itself when they are absent. */
  payerAccountId: z.int().optional(),
  payeeAccountId: z.int().optional(),
})

/** The callbacks to the requesting FSP, in this order. */
const notice = z.enum(['PUT', 'PATCH', 'ERROR'])

const fulfil = z.object({
  transferId: z.string(),
  requesterFspId: z.string(),
  destinationFspId: z.string().optional(),
  transferState: z.enum(['COMMITTED', 'RESERVED']),
  fulfilment: z.string().optional(),
  completedTimestamp: z.string().optional(),
  /** True for RESERVED: the payee waits for a PATCH. */
  notifyPayee: z.boolean(),
  extensionList: extensionList.optional(),
  payloadHash: z.string(),
  receivedAt: z.string(),
  version: z.string(),
})

/** The transfer that was aborted, for services that record how transfers ended. */
const ending = z.object({
  payerFsp: z.string(),
  payeeFsp: z.string(),
  amount: money,
  /** The payee FSP's clock where it named a time, else the hub's. */
  completedTimestamp: z.string(),
  /** When the request came to the hub, by its clock. */
  receivedAt: z.string(),
  /** The hub's clock. */
  endedAt: z.string(),
})

const timedOut = z.object({
  transferId: z.string(),
  payerFsp: z.string(),
  payerVersion: z.string(),
  errorInformation,
  ending: ending.optional(),
})

const refused = z.object({
  transferId: z.string(),
  requesterFspId: z.string(),
  version: z.string(),
  errorInformation,
  /** Absent when no transfer was aborted: the id belongs to another request. */
  ending: ending.optional(),
})

const query = z.object({
  transferId: z.string(),
  requesterFspId: z.string(),
  version: z.string(),
})

const asked = 'fspiop-api.transfers'
const topic = 'transfers'

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

export const transferEvents = {
  TransferPrepareRequested: define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['settlements'],
    key: 'transferId',
    about: 'A payer FSP asked for a transfer with a valid POST /transfers.',
    schema: prepare,
  }),
  TransferPrepareAccountsAllocated: define({
    topic: 'settlements.allocations',
    publishers: ['settlements'],
    consumers: ['transfers'],
    key: 'transferId',
    about: 'The same request with the settlement model and the accounts that it will use.',
    schema: allocated,
  }),
  TransferPrepared: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api'],
    key: 'transferId',
    about: 'The ledger holds the reservation; the payee FSP is to be asked.',
    schema: z.object({
      transferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      amount: money,
      expiration: z.string(),
      condition: z.string(),
      settlementModelId: z.int(),
      preparedAt: z.string(),
      payerPosition: position,
    }),
  }),
  TransferPrepareCallbackReport: report('How POST /transfers reached the payee FSP.'),
  TransferFulfilCommittedRequested: define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['transfers'],
    key: 'transferId',
    about: 'A payee FSP answered with PUT /transfers/{id}.',
    schema: fulfil,
  }),
  TransferCommittedFulfiled: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements', 'quoting'],
    key: 'transferId',
    about: 'The ledger has posted the transfer: it is final.',
    schema: z.object({
      transferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      payerVersion: z.string(),
      payeeVersion: z.string(),
      amount: money,
      fulfilment: z.string(),
      completedTimestamp: z.string(),
      settlementModelId: z.int(),
      settles,
      /** Absent when settled gross at once. */
      settlementWindowId: z.int().optional(),
      notifyPayee: z.boolean(),
      /** When the request came to the hub. */
      receivedAt: z.string(),
      fulfiledAt: z.string(),
      positions: z.array(position),
      extensionList: extensionList.optional(),
    }),
  }),
  TransferFulfilCommittedCallbackReport: report(
    'How PUT /transfers/{id} reached the payer FSP, and PATCH the payee FSP.',
  ),
  TransferRejectRequested: define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['transfers'],
    key: 'transferId',
    about: 'A payee FSP refused with PUT /transfers/{id}/error.',
    schema: z.object({
      transferId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
      errorInformation,
      payloadHash: z.string(),
      receivedAt: z.string(),
      version: z.string(),
    }),
  }),
  TransferRejectRequestProcessed: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements'],
    key: 'transferId',
    about: 'The reservation is voided and the transfer aborted for a reason other than time.',
    schema: z.object({
      transferId: z.string(),
      payerFsp: z.string(),
      payeeFsp: z.string(),
      payerVersion: z.string(),
      /** Absent when the payee FSP never spoke. */
      payeeVersion: z.string().optional(),
      errorInformation,
      /**
       * NONE: it knows (its own refusal); ERROR: PUT …/error; PATCH: it had asked with RESERVED.
       */
      payeeNotice: z.enum(['NONE', 'ERROR', 'PATCH']),
      completedTimestamp: z.string(),
      payerPosition: position.optional(),
      ending: ending.optional(),
    }),
  }),
  TransferRejectRequestProcessedCallbackReport: report(
    'How PUT /transfers/{id}/error reached the payer FSP.',
  ),
  TransferQueryReceived: define({
    topic: asked,
    publishers: ['fspiop-api'],
    consumers: ['settlements'],
    key: 'transferId',
    about: 'An FSP asked with GET /transfers/{id}.',
    schema: query,
  }),
  TransferQueryPassedOn: define({
    topic: 'settlements.allocations',
    publishers: ['settlements'],
    consumers: ['transfers'],
    key: 'transferId',
    about:
      'The same question behind each request that was accepted before it: none of them is unknown.',
    schema: query,
  }),
  TransferQueryResponse: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api'],
    key: 'transferId',
    about: 'The stored state, for a GET, a repeated POST or PUT, or a message that came too late.',
    schema: z.object({
      transferId: z.string(),
      requesterFspId: z.string(),
      legRole: z.enum(['PAYER', 'PAYEE', 'REQUESTER']),
      version: z.string(),
      notices: z.array(notice),
      transferState: z.enum(['RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED']).optional(),
      completedTimestamp: z.string().optional(),
      fulfilment: z.string().optional(),
      extensionList: extensionList.optional(),
      /** There exactly when the notices hold ERROR. */
      errorInformation: errorInformation.optional(),
    }),
  }),
  TransferQueryResponseCallbackReport: report('How the answer to a question was delivered.'),
  TransferPrepareRequestTimedout: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements'],
    key: 'transferId',
    about: 'The transfer expired before the ledger held a reservation.',
    schema: timedOut,
  }),
  TransferPrepareRequestTimedoutCallbackReport: report('How that reached the payer FSP.'),
  TransferFulfilComitRequestTimedout: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements'],
    key: 'transferId',
    about: 'The transfer expired while reserved; the reservation is voided.',
    schema: timedOut.extend({
      payeeFsp: z.string(),
      /** There when the payee FSP's own message found the expiry: this is its answer. */
      payeeAnswer: z
        .object({
          version: z.string(),
          /** PATCH as well when it had asked with RESERVED. */
          notices: z.array(notice.extract(['ERROR', 'PATCH'])),
          completedTimestamp: z.string(),
        })
        .optional(),
      payerPosition: position.optional(),
    }),
  }),
  TransferFulfilCommitRequestTimedoutCallbackReport: report(
    'How that reached the payer FSP and the payee FSP.',
  ),
  TransferPrepareDuplicateCheckFailed: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements'],
    key: 'transferId',
    about: 'The id was used before with other content; the stored transfer is untouched.',
    schema: refused,
  }),
  TransferPrepareDuplicateCheckFailedCallbackReport: report('How that reached the requester.'),
  TransferPrepareLiquidityCheckFailed: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements'],
    key: 'transferId',
    about: "The payer's cover or net debit cap does not allow the transfer.",
    schema: refused.extend({ amount: money, payerPosition: position.optional() }),
  }),
  TransferPrepareLiquidityCheckFailedCallbackReport: report('How that reached the payer FSP.'),
  TransferPrepareInvalidPayerCheckFailed: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements'],
    key: 'transferId',
    about: 'The payer FSP is unknown or inactive or has no usable account.',
    schema: refused,
  }),
  TransferPrepareInvalidPayerCheckFailedCallbackReport: report('How that reached the payer FSP.'),
  TransferPrepareInvalidPayeeCheckFailed: define({
    topic,
    publishers: ['transfers'],
    consumers: ['fspiop-api', 'settlements'],
    key: 'transferId',
    about: 'The payee FSP is unknown or inactive or has no usable account.',
    schema: refused,
  }),
  TransferPrepareInvalidPayeeCheckFailedCallbackReport: report('How that reached the payer FSP.'),
}
