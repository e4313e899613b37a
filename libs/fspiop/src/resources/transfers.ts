/**
 * The bodies of the transfers resource. FSPIOP 6.7.
 *
 * States are sent in upper case and accepted in any case. SETTLED, which some hubs send, is read as
 * COMMITTED in messages of a hub; no FSP may send it.
 */
import { z } from 'zod'
import { extensionList, money } from '../bodies/complex.ts'
import {
  correlationId,
  dateTime,
  fspId,
  ilpCondition,
  ilpFulfilment,
  ilpPacket,
} from '../bodies/elements.ts'
import { transferState } from '../bodies/enumerations.ts'

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
    transferId: correlationId,
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
 * PUT /transfers/{ID} from a payee FSP: COMMITTED or RESERVED. Any other state is refused: only
 * PUT …/error aborts. A missing fulfilment is accepted here; the hub then aborts the transfer.
 */
export const putTransfers = z.compile(
  z.looseObject({
    fulfilment: ilpFulfilment.optional(),
    completedTimestamp: dateTime.optional(),
    transferState: z.preprocess(readState, transferState.extract(['COMMITTED', 'RESERVED'])),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /transfers/{ID} as the answer to a query: any state. FSPIOP 6.7.4.1. */
export const putTransfersAnswer = z.compile(
  z.looseObject({
    fulfilment: ilpFulfilment.optional(),
    completedTimestamp: dateTime.optional(),
    transferState: z.preprocess(readStateOfHub, transferState),
    extensionList: extensionList.optional(),
  }),
)

/** PATCH /transfers/{ID}, from the hub to a payee FSP that sent RESERVED. FSPIOP 6.7.3.3. */
export const patchTransfers = z.compile(
  z.looseObject({
    completedTimestamp: dateTime,
    transferState: z.preprocess(readStateOfHub, transferState.extract(['COMMITTED', 'ABORTED'])),
    extensionList: extensionList.optional(),
  }),
)

export type PostTransfers = z.infer<typeof postTransfers>
export type PutTransfersAnswer = z.infer<typeof putTransfersAnswer>
