/** The bodies of consents: the permissions that a user grants a PISP, and the credential for them. */
import { z } from 'zod'
import { extensionList } from '../../bodies/complex.ts'
import { dateTime, thirdPartyId } from '../../bodies/elements.ts'
import { consentStatus, credentialStatus, credentialType } from '../../bodies/enumerations.ts'
import { credential, atLeastOneOf, scopes } from './parts.ts'

const consent = {
  consentId: thirdPartyId,
  consentRequestId: thirdPartyId.optional(),
  scopes,
  status: consentStatus,
  extensionList: extensionList.optional(),
}

/** POST /consents, from the DFSP to the PISP, without a credential, or to the auth service, with one. */
export const postConsents = z.compile(
  z.looseObject({ ...consent, credential: credential.optional() }),
)

/** POST /consents to the auth service. */
export const postConsentsRegistration = z.compile(z.looseObject({ ...consent, credential }))

/** PUT /consents/{ID}: a credential to be verified, or one that is verified. */
export const putConsents = z.compile(
  z
    .looseObject({
      scopes: scopes.optional(),
      credential: credential.optional(),
      status: consentStatus.optional(),
      extensionList: extensionList.optional(),
    })
    .refine(...atLeastOneOf('scopes', 'credential')),
)

/** PATCH /consents/{ID}: it is revoked, or its credential is verified. */
export const patchConsents = z.compile(
  z
    .looseObject({
      status: consentStatus.optional(),
      revokedAt: dateTime.optional(),
      credential: z
        .looseObject({
          status: credentialStatus.optional(),
          credentialType: credentialType.optional(),
        })
        .optional(),
      extensionList: extensionList.optional(),
    })
    .refine(...atLeastOneOf('status', 'credential')),
)
