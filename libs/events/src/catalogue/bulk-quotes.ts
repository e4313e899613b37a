/**
 * The events of a bulk quote's life: one for the bulk at each step, never one for an item. On
 * topics of their own, because one of them may hold a body of 5 MiB.
 */
import { z } from 'zod'
import { define } from './define.ts'
import { callbackReports, errorInformation, money } from './parts.ts'

/** As much of an item as is decided by; the rest travels in the relayed body alone. */
const individualQuote = z.object({
  quoteId: z.string(),
  transactionId: z.string(),
  /** Of the payee; each is absent where the payer FSP left it out or has encrypted it. */
  payeeFspId: z.string().optional(),
  partyIdType: z.string().optional(),
  partyIdentifier: z.string().optional(),
  partySubIdOrType: z.string().optional(),
  amountType: z.enum(['SEND', 'RECEIVE']),
  amount: money,
  /** Absent where the payer FSP has encrypted it. */
  scenario: z.string().optional(),
})

const individualQuoteResult = z.object({
  quoteId: z.string(),
  transferAmount: money.optional(),
  payeeFspFee: money.optional(),
  payeeFspCommission: money.optional(),
  /** There exactly when the payee FSP refuses the item. */
  errorInformation: errorInformation.optional(),
})

const failed = z.object({
  bulkQuoteId: z.string(),
  requesterFspId: z.string(),
  version: z.string(),
  errorInformation,
})

/**
 * Of a message that the hub has made out of an FSP's: the relay then has a body and no headers, and
 * this is the header FSPIOP-Encryption of what is encrypted in it.
 */
const encryption = z.string().optional()

const asked = {
  topic: 'fspiop-api.bulk-quotes',
  publishers: ['fspiop-api'],
  key: 'bulkQuoteId',
} as const
const common = {
  topic: 'quoting.bulk-quotes',
  publishers: ['quoting'],
  key: 'bulkQuoteId',
} as const

function report(about: string) {
  return define({ ...asked, consumers: ['quoting'], key: null, about, schema: callbackReports })
}

export const bulkQuoteEvents = {
  BulkQuoteRequestReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'A payer FSP asked for the quotes of a bulk with a valid POST /bulkQuotes.',
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      /** Absent when the payer FSP leaves it to the hub to find the FSP of the payees. */
      destinationFspId: z.string().optional(),
      /** Absent where the payer names none, or it is encrypted. */
      payerFspId: z.string().optional(),
      expiration: z.string().optional(),
      individualQuotes: z.array(individualQuote),
      payloadHash: z.string(),
      version: z.string(),
    }),
  }),
  BulkQuoteRequestAccepted: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'The request is stored, and at least one item may go on: the payee FSP is to be asked. When all ' +
      "may, the relay is the payer FSP's message; else the hub's, without the items that may not.",
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string(),
      expiration: z.string().optional(),
      version: z.string(),
      encryption,
      /** Nothing of it is stored: when it cannot be delivered, the edge notifies the payer FSP. */
      isUnstored: z.literal(true).optional(),
    }),
  }),
  BulkQuoteReceivedCallbackReport: report('How POST /bulkQuotes reached the payee FSP.'),
  BulkQuoteResponseReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'A payee FSP answered with PUT /bulkQuotes/{id}.',
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
      individualQuoteResults: z.array(individualQuoteResult),
      expiration: z.string(),
      payloadHash: z.string(),
      version: z.string(),
    }),
  }),
  BulkQuoteResponseAccepted: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'The answer is stored: the payer FSP is to be notified. When the hub refused no item, the relay is ' +
      "the payee FSP's message; else the hub's, with an error instead of each refused item.",
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string(),
      /** In which the payer FSP asked. */
      payerVersion: z.string(),
      version: z.string(),
      encryption,
    }),
  }),
  BulkQuoteAcceptedCallbackReport: report('How PUT /bulkQuotes/{id} reached the payer FSP.'),
  BulkQuoteRejectReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'A payee FSP refused the whole bulk with PUT /bulkQuotes/{id}/error.',
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
      errorInformation,
      payloadHash: z.string(),
      version: z.string(),
    }),
  }),
  BulkQuoteRejectAccepted: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The refusal is stored; the payer FSP is to be notified.',
    schema: z.object({
      bulkQuoteId: z.string(),
      payerFspId: z.string(),
      payeeFspId: z.string(),
      payerVersion: z.string(),
      errorInformation,
    }),
  }),
  BulkQuoteRejectCallbackReport: report('How PUT /bulkQuotes/{id}/error reached the payer FSP.'),
  BulkQuoteQueryReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'An FSP asked with GET /bulkQuotes/{id}.',
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
      version: z.string(),
    }),
  }),
  BulkQuoteQueryForwarded: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'The hub holds no answer: the GET, whose headers go along, is forwarded to the other FSP.',
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string(),
      version: z.string(),
    }),
  }),
  BulkQuoteQueryResponse: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'The answer to a GET or to a repeated request or response: what is stored, or why there is ' +
      "nothing. A stored answer is the relayed body; with the payee FSP's headers it is that FSP's " +
      "own message, without them the hub's.",
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      legRole: z.enum(['PAYER', 'PAYEE', 'REQUESTER']),
      version: z.string(),
      encryption,
      errorInformation: errorInformation.optional(),
    }),
  }),
  BulkQuoteQueryResponseCallbackReport: report('How that reached the FSP that asked.'),
  InvalidBulkQuoteRequest: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The request as a whole cannot be served: its meaning, or its id used before.',
    schema: failed,
  }),
  InvalidBulkQuoteRequestCallbackReport: report('How that reached the payer FSP.'),
  InvalidFSPInBulkQuoteRequest: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The payer or the payee FSP is unknown, inactive, or could not be asked.',
    schema: failed.extend({ role: z.enum(['PAYER', 'PAYEE']) }),
  }),
  InvalidFSPInBulkQuoteRequestCallbackReport: report('How that reached the payer FSP.'),
  BulkQuoteItemsRefused: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'No item of the request may go on. The relay is the body of the answer, with the error of each ' +
      'item; the payee FSP never sees the request.',
    schema: z.object({
      bulkQuoteId: z.string(),
      requesterFspId: z.string(),
      version: z.string(),
    }),
  }),
  BulkQuoteItemsRefusedCallbackReport: report('How that reached the payer FSP.'),
  RuleViolatedInBulkQuoteResponse: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'Scheme rules forbid items of the answer. The relay is what the payee FSP receives: the error of ' +
      'each of them.',
    schema: z.object({
      bulkQuoteId: z.string(),
      payeeFspId: z.string(),
      payeeVersion: z.string(),
    }),
  }),
  RuleViolatedInBulkQuoteResponseCallbackReport: report('How that reached the payee FSP.'),
}
