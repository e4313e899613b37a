/** The bodies of the transactionRequests resource: a payee requests a payment. FSPIOP 6.4. */
import { z } from 'zod'
import {
  extensionList,
  geoCode,
  money,
  party,
  partyIdInfo,
  transactionType,
} from '../bodies/complex.ts'
import { anyEnumeration, correlationId, dateTime, note } from '../bodies/elements.ts'
import { authenticationType, transactionRequestState } from '../bodies/enumerations.ts'

/** POST /transactionRequests, from the payee FSP; its payer is a bare PartyIdInfo. */
export const postTransactionRequests = z.compile(
  z.looseObject({
    transactionRequestId: correlationId,
    payee: party,
    payer: partyIdInfo,
    amount: money,
    transactionType,
    note: note.optional(),
    geoCode: geoCode.optional(),
    authenticationType: authenticationType.optional(),
    expiration: dateTime.optional(),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /transactionRequests/{ID}, from the payer FSP. */
export const putTransactionRequests = z.compile(
  z.looseObject({
    transactionId: correlationId.optional(),
    transactionRequestState,
    extensionList: extensionList.optional(),
  }),
)

/** The same in any state, for compatibility with hubs that relay every state. */
export const putTransactionRequestsAnyState = z.compile(
  z.looseObject({
    transactionId: correlationId.optional(),
    transactionRequestState: anyEnumeration,
    extensionList: extensionList.optional(),
  }),
)

export type PostTransactionRequests = z.infer<typeof postTransactionRequests>
