/**
 * Registration of a consent: the credential is verified, then account-lookup is asked to make the
 * auth service the owner of the consent. The consent is ISSUED only after it has confirmed.
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
import {
  answering,
  noChange,
  type ConsentAnswer,
  type Decision,
  type Unexamined,
} from './decision.ts'
import type { ConsentReason, RegistrationReason } from './reason.ts'

/** POST /consents to the auth service. */
export interface ConsentRegistration {
  readonly eventId: string
  readonly consentId: string
  readonly requester: Requester
  readonly requestHash: string
  readonly consentRequestId: string | undefined
  /** A fault that is found before the credential is checked. */
  readonly fault: 'MALFORMED' | 'STATUS_WRONG' | undefined
  readonly document: ConsentDocument
}

export interface RegistrationKnown {
  readonly consent: Consent | undefined
  readonly parties: ConsentParties | undefined
}

export function decideRegistration(
  { consent, parties }: RegistrationKnown,
  registration: ConsentRegistration,
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
  registration: ConsentRegistration,
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
  registration: ConsentRegistration,
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
  registration: ConsentRegistration,
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

/** The id is in use: the same registration gets the same answer, any other is refused. */
function repeated(
  consent: Exclude<Consent, { state: 'REFUSED' }>,
  again: ConsentRegistration,
): Decision {
  if (consent.requestEventId === again.eventId) return noChange
  const isSame =
    consent.dfspId === again.requester.fspId && consent.requestHash === again.requestHash
  // The answer to the pending registration answers the repeat as well.
  if (isSame && consent.state === 'PENDING') return noChange
  return {
    type: 'DECISION',
    step: {
      type: isSame ? 'REGISTRATION_REPEATED' : 'REGISTRATION_REFUSED',
      fspId: again.requester.fspId,
      detail: isSame ? '' : 'the consentId is already used',
    },
    answers: [isSame ? answerAgain(consent, again) : refusal(again, 'ID_USED')],
  }
}

function answerAgain(
  consent: Exclude<Consent, { state: 'REFUSED' }>,
  again: ConsentRegistration,
): ConsentAnswer {
  return consent.state === 'ISSUED'
    ? issuedAnswer(consent, again.requester, again.eventId)
    : refusal(again, 'CONSENT_REVOKED')
}

export function issuedAnswer(
  { consentId, document }: Issued | Pending,
  to: Requester,
  causeId: string,
): ConsentAnswer {
  return { type: 'REGISTERED', causeId, consentId, to, document }
}

/** The answer of account-lookup to the claim of ownership, or a time-out. */
export interface Ownership {
  readonly consentId: string
  readonly outcome: 'CONFIRMED' | 'REFUSED' | 'UNCONFIRMED'
  /** For the operator. */
  readonly detail: string
}

/** @param owner the participant name of the auth service */
export function decideOwnership(
  consent: Consent | undefined,
  { outcome, detail }: Ownership,
  owner: string,
  now: Date,
): Decision {
  if (consent?.state !== 'PENDING') return noChange
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

function registered(registration: ConsentRegistration, now: Date): Registered {
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

function refusal(registration: ConsentRegistration, reason: ConsentReason): ConsentAnswer {
  const { eventId: causeId, consentId, requester: to } = registration
  return { type: 'REFUSED', causeId, consentId, to, reason }
}

/**
 * The hub relayed a consent or its credential: the first observed pair of DFSP and PISP is
 * retained.
 */
export function decideParties(
  known: ConsentParties | undefined,
  consent: Consent | undefined,
  observed: ConsentParties,
): Decision {
  const { dfspId, pispId } = observed
  const pair = `${dfspId} and ${pispId}`
  if (known !== undefined) {
    if (known.dfspId === dfspId && known.pispId === pispId) return noChange
    return conflict(dfspId, pair)
  }
  // The DFSP of a registered consent is certain.
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
