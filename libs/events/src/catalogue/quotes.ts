/** The events of a quote's life. The ILP packet travels once, inside the relayed body. */
import { z } from 'zod'
import { define } from './define.ts'
import { callbackReports, errorInformation, extensionList, legRole, money } from './parts.ts'

/** Parts of a message that the hub passes on whole: it stores them and never decides by them. */
const opaque = z.record(z.string(), z.unknown())

const request = z.object({
  quoteId: z.string(),
  requesterFspId: z.string(),
  /** Absent when the payer FSP leaves it to the hub to find the payee's FSP. */
  destinationFspId: z.string().optional(),
  transactionId: z.string(),
  transactionRequestId: z.string().optional(),
  payee: opaque,
  payer: opaque,
  amountType: z.enum(['SEND', 'RECEIVE']),
  amount: money,
  fees: money.optional(),
  transactionType: opaque,
  geoCode: opaque.optional(),
  note: z.string().optional(),
  expiration: z.string().optional(),
  extensionList: extensionList.optional(),
  payloadHash: z.string(),
  version: z.string(),
})

const response = z.object({
  quoteId: z.string(),
  requesterFspId: z.string(),
  destinationFspId: z.string().optional(),
  transferAmount: money,
  payeeReceiveAmount: money.optional(),
  payeeFspFee: money.optional(),
  payeeFspCommission: money.optional(),
  expiration: z.string(),
  condition: z.string(),
  geoCode: opaque.optional(),
  note: z.string().optional(),
  extensionList: extensionList.optional(),
  payloadHash: z.string(),
  version: z.string(),
})

const failed = z.object({
  quoteId: z.string(),
  requesterFspId: z.string(),
  version: z.string(),
  errorInformation,
})

const asked = { topic: 'fspiop-api.quotes', publishers: ['fspiop-api'], key: 'quoteId' } as const
const common = { topic: 'quoting', publishers: ['quoting'], key: 'quoteId' } as const

function report(about: string) {
  return define({ ...asked, consumers: ['quoting'], key: null, about, schema: callbackReports })
}

export const quoteEvents = {
  QuoteRequestReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'A payer FSP asked for a quote with a valid POST /quotes.',
    schema: request,
  }),
  QuoteRequestAccepted: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The request is stored and valid; the payee FSP is to be asked.',
    schema: request.extend({
      destinationFspId: z.string(),
      /** Nothing of it is stored: when it cannot be delivered, the edge notifies the payer FSP. */
      isUnstored: z.literal(true).optional(),
    }),
  }),
  QuoteReceivedCallbackReport: report('How POST /quotes reached the payee FSP.'),
  QuoteResponseReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'A payee FSP answered with PUT /quotes/{id}.',
    schema: response,
  }),
  QuoteResponseAccepted: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The answer is stored and valid; the payer FSP is to be notified.',
    schema: response.extend({ destinationFspId: z.string() }),
  }),
  QuoteAcceptedCallbackReport: report('How PUT /quotes/{id} reached the payer FSP.'),
  QuoteRejectReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'A payee FSP refused with PUT /quotes/{id}/error.',
    schema: z.object({
      quoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
      errorInformation,
      payloadHash: z.string(),
      version: z.string(),
    }),
  }),
  QuoteRejectAccepted: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The refusal is stored; the payer FSP is to be notified.',
    schema: z.object({
      quoteId: z.string(),
      payerFspId: z.string(),
      payeeFspId: z.string(),
      payerVersion: z.string(),
      errorInformation,
    }),
  }),
  QuoteRejectCallbackReport: report('How PUT /quotes/{id}/error reached the payer FSP.'),
  QuoteQueryReceived: define({
    ...asked,
    consumers: ['quoting'],
    about: 'An FSP asked with GET /quotes/{id}.',
    schema: z.object({
      quoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string().optional(),
      version: z.string(),
    }),
  }),
  QuoteQueryForwarded: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'The hub holds no answer: the GET, whose headers go along, is forwarded to the other FSP.',
    schema: z.object({
      quoteId: z.string(),
      requesterFspId: z.string(),
      destinationFspId: z.string(),
      version: z.string(),
    }),
  }),
  QuoteQueryResponse: define({
    ...common,
    consumers: ['fspiop-api'],
    about:
      'The answer to a GET or to a repeated request or response: what is stored, or why there is ' +
      "nothing. A stored answer is the relayed body; with the payee FSP's headers it is that FSP's " +
      "own message, without them the hub's.",
    schema: z.object({
      quoteId: z.string(),
      requesterFspId: z.string(),
      legRole,
      version: z.string(),
      errorInformation: errorInformation.optional(),
    }),
  }),
  QuoteQueryResponseCallbackReport: report('How that answer reached the requesting FSP.'),
  InvalidQuoteRequest: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The request cannot be served: its form, its meaning, or its id used before.',
    schema: failed,
  }),
  InvalidQuoteRequestCallbackReport: report('How that reached the payer FSP.'),
  InvalidFSPInQuoteRequest: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'The payer or the payee FSP is unknown, inactive or not the one that the message names.',
    schema: failed.extend({ role: z.enum(['PAYER', 'PAYEE']) }),
  }),
  InvalidFSPInQuoteRequestCallbackReport: report('How that reached the payer FSP.'),
  RuleViolatedInQuoteRequest: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'A scheme rule forbids the request; the payee FSP never sees it.',
    schema: failed.extend({ ruleId: z.string() }),
  }),
  RuleViolatedInQuoteRequestCallbackReport: report('How that reached the payer FSP.'),
  RuleViolatedInQuoteResponse: define({
    ...common,
    consumers: ['fspiop-api'],
    about: 'A scheme rule forbids the answer; both FSPs are notified.',
    schema: z.object({
      quoteId: z.string(),
      payerFspId: z.string(),
      payeeFspId: z.string(),
      payerVersion: z.string(),
      payeeVersion: z.string(),
      ruleId: z.string(),
      errorInformation,
    }),
  }),
  RuleViolatedInQuoteResponseCallbackReport: report('How that reached both FSPs.'),
}
