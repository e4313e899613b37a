/**
 * The bodies of the bulkQuotes resource: quotes of one payer to payees of one FSP, up to 1,000 in a
 * message. FSPIOP 6.9.
 */
import { z } from 'zod'
import {
  errorInformationPart,
  extensionList,
  geoCode,
  money,
  party,
  transactionType,
} from '../bodies/complex.ts'
import { correlationId, dateTime, ilpCondition, ilpPacket, note } from '../bodies/elements.ts'
import { amountType } from '../bodies/enumerations.ts'

/** The maximum number of items of a bulk. FSPIOP 6.9.3.2, 6.10.3.2. */
export const bulkItems_max = 1_000

const individualQuote = z.looseObject({
  quoteId: correlationId,
  transactionId: correlationId,
  payee: party,
  amountType,
  amount: money,
  fees: money.optional(),
  transactionType,
  note: note.optional(),
  extensionList: extensionList.optional(),
})

/** With errorInformation the item has no quote, and its other members have no meaning. */
const individualQuoteResult = z.looseObject({
  quoteId: correlationId,
  payee: party.optional(),
  transferAmount: money.optional(),
  payeeReceiveAmount: money.optional(),
  payeeFspFee: money.optional(),
  payeeFspCommission: money.optional(),
  ilpPacket: ilpPacket.optional(),
  condition: ilpCondition.optional(),
  errorInformation: errorInformationPart.optional(),
  extensionList: extensionList.optional(),
})

/** POST /bulkQuotes, from the payer FSP. FSPIOP 6.9.3.2. */
export const postBulkQuotes = z.compile(
  z.looseObject({
    bulkQuoteId: correlationId,
    payer: party,
    geoCode: geoCode.optional(),
    expiration: dateTime.optional(),
    individualQuotes: z.array(individualQuote).min(1).max(bulkItems_max),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /bulkQuotes/{ID}, from the payee FSP; one expiration for all. FSPIOP 6.9.4.1. */
export const putBulkQuotes = z.compile(
  z.looseObject({
    individualQuoteResults: z.array(individualQuoteResult).max(bulkItems_max).optional(),
    expiration: dateTime,
    extensionList: extensionList.optional(),
  }),
)

export type PostBulkQuotes = z.infer<typeof postBulkQuotes>
export type PutBulkQuotes = z.infer<typeof putBulkQuotes>
export type IndividualQuote = z.infer<typeof individualQuote>
export type IndividualQuoteResult = z.infer<typeof individualQuoteResult>
