/** The bodies of thirdpartyRequests/authorizations: the DFSP asks the PISP's user to sign the terms. */
import { z } from 'zod'
import { extensionList, money } from '../../bodies/complex.ts'
import { anyText, dateTime, thirdPartyId } from '../../bodies/elements.ts'
import { party, partyIdInfo, signedPayload, transactionType } from './parts.ts'

/** POST /thirdpartyRequests/authorizations, from the DFSP. */
export const postThirdpartyAuthorizations = z.compile(
  z.looseObject({
    authorizationRequestId: thirdPartyId,
    transactionRequestId: thirdPartyId,
    challenge: anyText,
    transactionType,
    transferAmount: money.optional(),
    payeeReceiveAmount: money.optional(),
    fees: money.optional(),
    payer: partyIdInfo.optional(),
    payee: party.optional(),
    expiration: dateTime.optional(),
    extensionList: extensionList.optional(),
  }),
)

const absent = z
  .unknown()
  .refine((value) => value === undefined, { error: 'not together with REJECTED' })
  .optional()

/** PUT /thirdpartyRequests/authorizations/{ID}, from the PISP. */
export const putThirdpartyAuthorizations = z.compile(
  z.discriminatedUnion('responseType', [
    z.looseObject({
      responseType: z.literal('ACCEPTED'),
      signedPayload,
      extensionList: extensionList.optional(),
    }),
    z.looseObject({
      responseType: z.literal('REJECTED'),
      signedPayload: absent,
      extensionList: extensionList.optional(),
    }),
  ]),
)

export type PostThirdpartyAuthorizations = z.infer<typeof postThirdpartyAuthorizations>
