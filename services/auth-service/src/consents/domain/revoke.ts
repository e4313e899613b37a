/**
 * Revocation of a consent by a party. REVOKED is final, and the credential of the consent is
 * removed with it.
 */
import {
  isParty,
  isUsable,
  type Consent,
  type ConsentParties,
  type Issued,
  type Pending,
  type Requester,
  type Revoked,
} from './consent.ts'
import { answering, noChange, type ConsentAnswer, type Decision } from './decision.ts'
import { requesterOf, withoutCredential } from './register.ts'
import type { ConsentReason } from './reason.ts'

/** DELETE /consents/{ID}, or PATCH with REVOKED that the hub has relayed to the PISP. */
export interface Revocation {
  readonly eventId: string
  readonly consentId: string
  readonly requester: Requester
  /** FSPIOP-Destination. */
  readonly destination: string | undefined
  /** The time of the revocation according to the DFSP; such a revocation gets no answer. */
  readonly relayedAt: Date | undefined
}

export function decideRevocation(
  consent: Consent | undefined,
  parties: ConsentParties | undefined,
  revocation: Revocation,
  now: Date,
): Decision {
  const { requester, relayedAt } = revocation
  if (consent === undefined || consent.state === 'REFUSED') {
    // The step ensures that a redelivery cannot revoke a consent that is registered meanwhile.
    return {
      ...answering(...(relayedAt === undefined ? [refusal(revocation, 'CONSENT_UNKNOWN')] : [])),
      step: {
        type: 'REVOCATION_REFUSED',
        fspId: requester.fspId,
        detail: 'the consent is not registered',
      },
    }
  }
  if (!mayRevoke(consent, parties, revocation)) {
    return {
      ...answering(...(relayedAt === undefined ? [refusal(revocation, 'NOT_PARTY')] : [])),
      step: {
        type: 'REVOCATION_REFUSED',
        fspId: requester.fspId,
        detail: 'the sender is not a party of the consent',
      },
    }
  }
  if (isUsable(consent)) return revoke(consent, parties, revocation, now)
  if (relayedAt !== undefined) return noChange
  return {
    ...answering(revokedAnswer(consent, parties, revocation)),
    step: { type: 'REVOCATION_REPEATED', fspId: requester.fspId, detail: '' },
  }
}

/**
 * A PATCH of a PISP to its DFSP is for the DFSP to decide. A PISP that the hub has not observed yet
 * must name the DFSP as destination.
 */
function mayRevoke(
  consent: Consent,
  parties: ConsentParties | undefined,
  { requester, destination, relayedAt }: Revocation,
): boolean {
  if (relayedAt !== undefined) return requester.fspId === consent.dfspId
  return (
    isParty(consent, parties, requester.fspId) ||
    (parties === undefined && destination === consent.dfspId)
  )
}

function revoke(
  consent: Pending | Issued,
  parties: ConsentParties | undefined,
  revocation: Revocation,
  now: Date,
): Decision {
  const { relayedAt, requester } = revocation
  const revoked: Revoked = {
    ...withoutCredential(consent),
    state: 'REVOKED',
    issuedAt: consent.state === 'ISSUED' ? consent.issuedAt : undefined,
    // A clock that is ahead cannot date a revocation in the future.
    revokedAt: relayedAt === undefined || relayedAt > now ? now : relayedAt,
    revokedBy: requester.fspId,
  }
  const { verifier, document } = consent
  return {
    type: 'DECISION',
    consent: revoked,
    withdrawn: { verifier, document },
    step: { type: 'REVOKED', fspId: requester.fspId, detail: '' },
    answers: [
      ...registrationEnd(consent),
      ...(relayedAt === undefined ? [revokedAnswer(revoked, parties, revocation)] : []),
    ],
  }
}

/** A pending registration ends with the consent. */
function registrationEnd(consent: Pending | Issued): readonly ConsentAnswer[] {
  if (consent.state !== 'PENDING') return []
  const { consentId, requestEventId: causeId } = consent
  const to = requesterOf(consent)
  return [{ type: 'REFUSED', causeId, consentId, to, reason: 'CONSENT_REVOKED' }]
}

const thirdPartyVersion = '1.0'

/** Both parties get a callback, whichever of them revoked. */
function revokedAnswer(
  consent: Revoked,
  parties: ConsentParties | undefined,
  { eventId: causeId, consentId, requester }: Revocation,
): ConsentAnswer {
  const recipients = [...new Set([consent.dfspId, parties?.pispId ?? requester.fspId])].map(
    (fspId) => ({
      fspId,
      version: fspId === requester.fspId ? requester.version : thirdPartyVersion,
    }),
  )
  return { type: 'REVOKED', causeId, consentId, revokedAt: consent.revokedAt, recipients }
}

function refusal(revocation: Revocation, reason: ConsentReason): ConsentAnswer {
  const { eventId: causeId, consentId, requester: to } = revocation
  return { type: 'REFUSED', causeId, consentId, to, reason }
}
