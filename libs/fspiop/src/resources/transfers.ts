/**
 * The bodies of the transfers resource. FSPIOP 6.7.
 *
 * States are written in upper case and read in any. SETTLED, which some hubs let slip, reads as
 * COMMITTED in what a hub sends; no FSP may send it.
 */
import { z } from 'zod'
import { extensionList, money } from '../complex.ts'
import {
  dateTime,
  fspId,
  ilpCondition,
  ilpFulfilment,
  ilpPacket,
  transferOrQuoteId,
} from '../elements.ts'
import { transferState } from '../enumerations.ts'

function readState(value: unknown): unknown {
  return typeof value === 'string' && /^[A-Za-z]+$/.test(value) ? value.toUpperCase() : value
}

function readStateOfHub(value: unknown): unknown {
  const state = readState(value)
  return state === 'SETTLED' ? 'COMMITTED' : state
}

/** POST /transfers, from the payer FSP. FSPIOP 6.7.3.2. */
export const postTransfers = z.compile(
  z.looseObject({
    transferId: transferOrQuoteId,
    payeeFsp: fspId,
    payerFsp: fspId,
    amount: money,
    ilpPacket,
    condition: ilpCondition,
    expiration: dateTime,
    extensionList: extensionList.optional(),
  }),
)

/**
 * PUT /transfers/{ID} as a payee FSP may send it: COMMITTED or RESERVED. Any other state is refused:
 * only PUT …/error aborts. A missing fulfilment is no fault of the form: the transfer is aborted for it.
 */
export const putTransfers = z.compile(
  z.looseObject({
    fulfilment: ilpFulfilment.optional(),
    completedTimestamp: dateTime.optional(),
    transferState: z.preprocess(readState, transferState.extract(['COMMITTED', 'RESERVED'])),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /transfers/{ID} as whoever asked gets it: in any state. FSPIOP 6.7.4.1. */
export const putTransfersAnswer = z.compile(
  z.looseObject({
    fulfilment: ilpFulfilment.optional(),
    completedTimestamp: dateTime.optional(),
    transferState: z.preprocess(readStateOfHub, transferState),
    extensionList: extensionList.optional(),
  }),
)

/** PATCH /transfers/{ID}, from the hub to a payee FSP that asked for RESERVED. FSPIOP 6.7.3.3. */
export const patchTransfers = z.compile(
  z.looseObject({
    completedTimestamp: dateTime,
    transferState: z.preprocess(readStateOfHub, transferState.extract(['COMMITTED', 'ABORTED'])),
    extensionList: extensionList.optional(),
  }),
)

export type PostTransfers = z.infer<typeof postTransfers>
export type PutTransfersAnswer = z.infer<typeof putTransfersAnswer>
