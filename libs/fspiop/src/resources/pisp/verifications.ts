/** The bodies of thirdpartyRequests/verifications: the DFSP has the auth service check a signature. */
import { z } from 'zod'
import { extensionList } from '../../bodies/complex.ts'
import { anyText, thirdPartyId } from '../../bodies/elements.ts'
import { credentialType } from '../../bodies/enumerations.ts'

const assertion = z.looseObject({})

/** POST /thirdpartyRequests/verifications; the signed payload has either of two names. */
export const postVerifications = z.compile(
  z.looseObject({
    verificationRequestId: thirdPartyId,
    challenge: anyText,
    consentId: thirdPartyId,
    signedPayloadType: credentialType,
    fidoSignedPayload: assertion.optional(),
    fidoValue: assertion.optional(),
    genericSignedPayload: anyText.optional(),
    genericValue: anyText.optional(),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /thirdpartyRequests/verifications/{ID}, from the auth service. */
export const putVerifications = z.compile(
  z.looseObject({
    authenticationResponse: z.enum(['VERIFIED', 'REJECTED']),
    extensionList: extensionList.optional(),
  }),
)
