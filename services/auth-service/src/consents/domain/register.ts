/**
 * A DFSP registers a consent: the credential is verified, then account-lookup is asked to make the auth
 * service owner of the consent, and only when it has done so is the consent ISSUED.
 */
import type { Ceremony, CredentialCheck, RelyingParty } from '@causeway/credentials'
import type {
  Consent,
  ConsentDocument,
  ConsentParties,
  Issued,
  Pending,
  Registered,
  Requester,
} from './consent.ts'
import { answering, silence, type Answer, type Decision, type Unexamined } from './decision.ts'
import type { ConsentReason, RegistrationReason } from './reason.ts'

/** POST /consents to the auth service. */
export interface Registration {
  readonly eventId: string
  readonly consentId: string
  readonly requester: Requester
  readonly requestHash: string
  readonly consentRequestId: string | undefined
  /** What is wrong with it before its credential is looked at. */
  readonly fault: 'MALFORMED' | 'STATUS_WRONG' | undefined
  readonly document: ConsentDocument
}

export interface RegistrationKnown {
  readonly consent: Consent | undefined
  readonly parties: ConsentParties | undefined
}

export function decideRegistration(
  { consent, parties }: RegistrationKnown,
  registration: Registration,
  check: CredentialCheck | undefined,
  judge: (ceremony: Ceremony) => RelyingParty,
  now: Date,
): Decision | Unexamined {
  if (consent !== undefined && consent.state !== 'REFUSED') return repeated(consent, registration)
  const { requester } = registration
  if (parties !== undefined && parties.dfspId !== requester.fspId) {
    const step = { type: 'REGISTRATION_REFUSED', fspId: requester.fspId } as const
    return {
      type: 'DECISION',
      step: { ...step, detail: 'the consent was granted by another DFSP' },
      answers: [refusal(registration, 'NOT_PARTY')],
    }
  }
  const { fault } = registration
  if (fault !== undefined) return refuse(registration, fault, '', now)
  if (check === undefined) return { type: 'UNEXAMINED' }
  return decideCredential(registration, parties !== undefined, check, judge, now)
}

function decideCredential(
  registration: Registration,
  isGranter: boolean,
  check: CredentialCheck,
  judge: (ceremony: Ceremony) => RelyingParty,
  now: Date,
): Decision {
  if (check.type === 'INVALID') {
    return refuse(registration, 'CREDENTIAL_INVALID', check.detail, now)
  }
  const { verifier, ceremony } = check
  if (ceremony === undefined || verifier.type !== 'FIDO') {
    return claim(registration, isGranter, verifier, now)
  }
  const relyingParty = judge(ceremony)
  return relyingParty.type === 'REFUSED'
    ? refuse(registration, 'CREDENTIAL_INVALID', relyingParty.detail, now)
    : claim(registration, isGranter, { ...verifier, rpId: relyingParty.rpId }, now)
}

function claim(
  registration: Registration,
  isGranter: boolean,
  verifier: Pending['verifier'],
  now: Date,
): Decision {
  const { document, consentId, eventId: causeId, requester } = registration
  return {
    type: 'DECISION',
    consent: { ...registered(registration, now), state: 'PENDING', verifier, document },
    step: { type: 'CREDENTIAL_VERIFIED', fspId: requester.fspId, detail: verifier.type },
    answers: [{ type: 'CLAIM', causeId, consentId, isGranter }],
  }
}

function refuse(
  registration: Registration,
  reason: RegistrationReason,
  detail: string,
  now: Date,
): Decision {
  const { fspId } = registration.requester
  return {
    type: 'DECISION',
    consent: { ...registered(registration, now), state: 'REFUSED', reason },
    step: { type: 'REGISTRATION_REFUSED', fspId, detail },
    answers: [refusal(registration, reason)],
  }
}

/** A consent stands under the id: the same registration is answered again, any other is refused. */
function repeated(consent: Exclude<Consent, { state: 'REFUSED' }>, again: Registration): Decision {
  if (consent.requestEventId === again.eventId) return silence
  const isSame =
    consent.dfspId === again.requester.fspId && consent.requestHash === again.requestHash
  // It is answered when the registration under way is.
  if (isSame && consent.state === 'PENDING') return silence
  return {
    type: 'DECISION',
    step: {
      type: isSame ? 'REGISTRATION_REPEATED' : 'REGISTRATION_REFUSED',
      fspId: again.requester.fspId,
      detail: isSame ? '' : 'the consentId is used',
    },
    answers: [isSame ? answerAgain(consent, again) : refusal(again, 'ID_USED')],
  }
}

function answerAgain(consent: Exclude<Consent, { state: 'REFUSED' }>, again: Registration): Answer {
  return consent.state === 'ISSUED'
    ? issuedAnswer(consent, again.requester, again.eventId)
    : refusal(again, 'CONSENT_REVOKED')
}

export function issuedAnswer(
  { consentId, document }: Issued | Pending,
  to: Requester,
  causeId: string,
): Answer {
  return { type: 'REGISTERED', causeId, consentId, to, document }
}

/** account-lookup's answer to the claim of ownership, or that there was none in time. */
export interface Ownership {
  readonly consentId: string
  readonly outcome: 'CONFIRMED' | 'REFUSED' | 'UNCONFIRMED'
  /** For the operator. */
  readonly detail: string
}

/** @param owner the participant that the auth service is */
export function decideOwnership(
  consent: Consent | undefined,
  { outcome, detail }: Ownership,
  owner: string,
  now: Date,
): Decision {
  if (consent?.state !== 'PENDING') return silence
  const { requestEventId: causeId } = consent
  if (outcome === 'CONFIRMED') {
    return {
      type: 'DECISION',
      consent: { ...consent, state: 'ISSUED', issuedAt: now },
      step: { type: 'OWNERSHIP_CONFIRMED', fspId: owner, detail },
      answers: [issuedAnswer(consent, requesterOf(consent), causeId)],
    }
  }
  const reason = outcome === 'REFUSED' ? 'OWNERSHIP_REFUSED' : 'OWNERSHIP_UNCONFIRMED'
  return {
    type: 'DECISION',
    consent: { ...withoutCredential(consent), state: 'REFUSED', reason },
    step: { type: 'OWNERSHIP_REFUSED', fspId: owner, detail },
    answers: [
      { type: 'REFUSED', causeId, consentId: consent.consentId, to: requesterOf(consent), reason },
    ],
  }
}

export function requesterOf({ dfspId: fspId, version }: Registered): Requester {
  return { fspId, version }
}

export function withoutCredential(consent: Registered): Registered {
  const { consentId, dfspId, version, requestEventId, requestHash } = consent
  const { consentRequestId, registeredAt } = consent
  return {
    consentId,
    dfspId,
    version,
    requestEventId,
    requestHash,
    consentRequestId,
    registeredAt,
  }
}

function registered(registration: Registration, now: Date): Registered {
  const { consentId, requester, requestHash, consentRequestId } = registration
  return {
    consentId,
    dfspId: requester.fspId,
    version: requester.version,
    requestEventId: registration.eventId,
    requestHash,
    consentRequestId,
    registeredAt: now,
  }
}

function refusal(registration: Registration, reason: ConsentReason): Answer {
  const { eventId: causeId, consentId, requester: to } = registration
  return { type: 'REFUSED', causeId, consentId, to, reason }
}

/** The hub relayed a consent or its credential: the first pair of DFSP and PISP stays. */
export function decideParties(
  known: ConsentParties | undefined,
  consent: Consent | undefined,
  observed: ConsentParties,
): Decision {
  const { dfspId, pispId } = observed
  const pair = `${dfspId} and ${pispId}`
  if (known !== undefined) {
    if (known.dfspId === dfspId && known.pispId === pispId) return silence
    return conflict(dfspId, pair)
  }
  // Of a consent that is registered the DFSP is certain.
  if (consent !== undefined && consent.state !== 'REFUSED' && consent.dfspId !== dfspId) {
    return conflict(dfspId, pair)
  }
  return {
    ...answering(),
    parties: observed,
    step: { type: 'PARTIES_OBSERVED', fspId: dfspId, detail: pair },
  }
}

function conflict(fspId: string, pair: string): Decision {
  return { ...answering(), step: { type: 'PARTIES_CONFLICT', fspId, detail: pair } }
}
