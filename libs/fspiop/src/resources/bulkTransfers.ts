/**
 * The bodies of the bulkTransfers resource: up to 1,000 transfers between the same two FSPs, each of
 * which succeeds or fails independently. FSPIOP 6.10.
 */
import { z } from 'zod'
import { errorInformationPart, extensionList, money } from '../bodies/complex.ts'
import {
  correlationId,
  dateTime,
  fspId,
  ilpCondition,
  ilpFulfilment,
  ilpPacket,
} from '../bodies/elements.ts'
import { bulkTransferState } from '../bodies/enumerations.ts'
import { bulkItems_max } from './bulkQuotes.ts'

const individualTransfer = z.looseObject({
  transferId: correlationId,
  transferAmount: money,
  ilpPacket,
  condition: ilpCondition,
  extensionList: extensionList.optional(),
})

/** A fulfilment, or the error of the transfer. */
const individualTransferResult = z.looseObject({
  transferId: correlationId,
  fulfilment: ilpFulfilment.optional(),
  errorInformation: errorInformationPart.optional(),
  extensionList: extensionList.optional(),
})

/** POST /bulkTransfers, from the payer FSP, or from the hub without failed items. FSPIOP 6.10.3.2. */
export const postBulkTransfers = z.compile(
  z.looseObject({
    bulkTransferId: correlationId,
    bulkQuoteId: correlationId,
    payeeFsp: fspId,
    payerFsp: fspId,
    individualTransfers: z.array(individualTransfer).min(1).max(bulkItems_max),
    expiration: dateTime,
    extensionList: extensionList.optional(),
  }),
)

/** PUT /bulkTransfers/{ID}, from the payee FSP and, in any state, from the hub. FSPIOP 6.10.4.1. */
export const putBulkTransfers = z.compile(
  z.looseObject({
    completedTimestamp: dateTime.optional(),
    individualTransferResults: z.array(individualTransferResult).max(bulkItems_max).optional(),
    bulkTransferState,
    extensionList: extensionList.optional(),
  }),
)

export type PostBulkTransfers = z.infer<typeof postBulkTransfers>
export type PutBulkTransfers = z.infer<typeof putBulkTransfers>
export type IndividualTransfer = z.infer<typeof individualTransfer>
export type IndividualTransferResult = z.infer<typeof individualTransferResult>
