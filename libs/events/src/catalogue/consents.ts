/**
 * Consents that users give PISPs, and the signatures made under them: what FSPs ask of the auth
 * service that the hub hosts, and what it answers. What one FSP has for another is passed on by the
 * edge and is no event, but for what the auth service has to know of it.
 */
import { z } from 'zod'
import { define } from './define.ts'
import { errorInformation } from './parts.ts'

/** The requesting FSP, and the version of the answer. */
const asker = { requesterFspId: z.string(), version: z.string() }

const asked = {
  topic: 'fspiop-api.consents',
  publishers: ['fspiop-api'],
  consumers: ['auth-service'],
  key: 'consentId',
} as const

const common = {
  topic: 'auth-service.consents',
  publishers: ['auth-service'],
  consumers: ['fspiop-api'],
  key: 'consentId',
} as const

const requests = {
  ConsentRegistrationReceived: define({
    ...asked,
    about: 'POST /consents to the hosted auth service: a credential is to be checked and stored.',
    schema: z.object({ consentId: z.string(), ...asker, receivedAt: z.string() }),
  }),
  ConsentQueryReceived: define({
    ...asked,
    about: 'GET /consents/{ID} of a consent that the hosted auth service owns.',
    schema: z.object({ consentId: z.string(), ...asker }),
  }),
  ConsentRevocationReceived: define({
    ...asked,
    about:
      'DELETE /consents/{ID} of a consent that the hosted auth service owns, or a DFSP revoked it.',
    schema: z.object({
      consentId: z.string(),
      ...asker,
      /** FSPIOP-Destination, which names the other FSP of the consent. */
      destinationFspId: z.string().optional(),
      /**
       * Of PATCH /consents/{ID}, which has been passed on to the other FSP; absent after DELETE.
       */
      revokedAt: z.string().optional(),
    }),
  }),
  ConsentPartiesObserved: define({
    ...asked,
    about: 'A consent went from one FSP to the other: between which of them it is.',
    schema: z.object({
      consentId: z.string(),
      dfspId: z.string(),
      pispId: z.string(),
      consentRequestId: z.string().optional(),
    }),
  }),
  VerificationReceived: define({
    ...asked,
    about: 'POST /thirdpartyRequests/verifications: a signature is to be checked.',
    schema: z.object({
      verificationRequestId: z.string(),
      consentId: z.string(),
      ...asker,
      receivedAt: z.string(),
    }),
  }),
  VerificationQueryReceived: define({
    ...asked,
    key: 'verificationRequestId',
    about: 'GET /thirdpartyRequests/verifications/{ID}: the answer is to be given again.',
    schema: z.object({ verificationRequestId: z.string(), ...asker }),
  }),
}

export const consentEvents = {
  ...requests,
  ConsentOwnershipClaimed: define({
    ...common,
    consumers: ['account-lookup'],
    key: 'partyKey',
    about:
      'The auth service registers itself as the owner of the consent, as POST /participants/CONSENTS does.',
    schema: z.object({
      /** "CONSENTS/" and the consent's id: the key of the lookup entry. */
      partyKey: z.string(),
      partyIdType: z.literal('CONSENTS'),
      /** The consent's id. */
      partyIdentifier: z.string(),
      /** The participant that the auth service is; it owns the entry. */
      requesterFspId: z.string(),
      /**
       * The DFSP that registers the consent is the one that granted it: any other entry gives way.
       */
      isGranter: z.boolean().optional(),
      version: z.string(),
    }),
  }),
  ConsentRegistered: define({
    ...common,
    about:
      'The credential is verified and the consent stored; also the answer to GET /consents/{ID}.',
    schema: z.object({
      consentId: z.string(),
      ...asker,
      /** Of PUT /consents/{ID}: scopes, credential and status, as the FSP is sent them. */
      body: z.record(z.string(), z.unknown()),
    }),
  }),
  ConsentRefused: define({
    ...common,
    about: 'A consent was neither stored, shown nor revoked, and why.',
    schema: z.object({ consentId: z.string(), ...asker, errorInformation }),
  }),
  ConsentRevoked: define({
    ...common,
    about:
      'The consent is revoked for ever; each recipient is notified independently of the other.',
    schema: z.object({
      consentId: z.string(),
      revokedAt: z.string(),
      recipients: z.array(z.object({ fspId: z.string(), version: z.string() })),
    }),
  }),
  VerificationAnswered: define({
    ...common,
    key: 'verificationRequestId',
    about: 'Whether the signature was made with the credential of the consent.',
    schema: z.object({
      verificationRequestId: z.string(),
      /** Absent where no such verification is known. */
      consentId: z.string().optional(),
      ...asker,
      result: z.union([
        z.object({ authenticationResponse: z.literal('VERIFIED') }),
        z.object({ errorInformation }),
      ]),
    }),
  }),
}
