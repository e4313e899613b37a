/** The bodies of thirdpartyRequests/transactions: a PISP requests a payment from the payer's DFSP. */
import { z } from 'zod'
import { extensionList, money } from '../../bodies/complex.ts'
import { anyText, dateTime, thirdPartyId } from '../../bodies/elements.ts'
import { amountType, transactionRequestState, transactionState } from '../../bodies/enumerations.ts'
import { party, partyIdInfo, transactionType } from './parts.ts'

/** POST /thirdpartyRequests/transactions, from the PISP; the DFSP refuses a missing payee FSP. */
export const postThirdpartyTransactions = z.compile(
  z.looseObject({
    transactionRequestId: thirdPartyId,
    payee: party,
    payer: partyIdInfo,
    amountType,
    amount: money,
    transactionType,
    note: anyText.optional(),
    expiration: dateTime.optional(),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /thirdpartyRequests/transactions/{ID}, from the DFSP. */
export const putThirdpartyTransactions = z.compile(
  z.looseObject({
    transactionId: anyText.optional(),
    transactionRequestState,
    extensionList: extensionList.optional(),
  }),
)

/** PATCH /thirdpartyRequests/transactions/{ID}, from the DFSP: how it ended. */
export const patchThirdpartyTransactions = z.compile(
  z.looseObject({
    transactionRequestState,
    transactionState: transactionState.optional(),
    completedTimestamp: dateTime.optional(),
    extensionList: extensionList.optional(),
  }),
)

export type PostThirdpartyTransactions = z.infer<typeof postThirdpartyTransactions>
