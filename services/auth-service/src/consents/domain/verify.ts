/**
 * Verification of a user's signature for a DFSP. The result is stored under the id of the request
 * and does not change, except that a revoked consent verifies nothing, not even a repeated request. A
 * challenge of a consent is verified for one request.
 */
import {
  countFault,
  type Ceremony,
  type FidoVerifier,
  type SignatureCheck,
} from '@causeway/credentials'
import type {
  Consent,
  Requester,
  Verification,
  VerificationReason,
  VerificationResult,
} from './consent.ts'
import {
  answering,
  noChange,
  type Decision,
  type Unexamined,
  type VerificationAnswer,
} from './decision.ts'

/** POST /thirdpartyRequests/verifications. */
export interface VerificationRequest {
  readonly eventId: string
  readonly verificationRequestId: string
  readonly consentId: string
  readonly requester: Requester
  readonly requestHash: string
  readonly signedPayloadType: string
}

export interface VerificationKnown {
  readonly consent: Consent | undefined
  readonly verification: Verification | undefined
}

/** Whether the consent's challenge with this hash was verified for another request. */
export type IsProven = (signedHash: string) => boolean

/**
 * @param originFault why the signature was not made at the origin of the credential; undefined if
 * it was
 */
export function decideVerification(
  { consent, verification }: VerificationKnown,
  request: VerificationRequest,
  check: SignatureCheck | undefined,
  originFault: (ceremony: Ceremony, verifier: FidoVerifier) => string | undefined,
  isProven: IsProven,
  now: Date,
): Decision | Unexamined {
  if (verification !== undefined) return repeated(verification, consent, request)
  const reason = consentFault(consent, request.requester.fspId)
  if (reason !== undefined) return failed(request, reason, '', now)
  if (consent?.state !== 'ISSUED') return failed(request, 'CONSENT_UNKNOWN', '', now)
  if (consent.verifier.type !== request.signedPayloadType) {
    const detail = `the credential is ${consent.verifier.type}`
    return failed(request, 'SIGNATURE_INVALID', detail, now)
  }
  // The credential of an issued consent does not change, so the result of the check stays valid.
  if (check === undefined) return { type: 'UNEXAMINED' }
  if (check.type === 'INVALID') {
    return failed(request, 'SIGNATURE_INVALID', check.detail, now)
  }
  const { ceremony, signedHash } = check
  const { verifier } = consent
  const fault =
    ceremony === undefined || verifier.type !== 'FIDO' ? undefined : originFault(ceremony, verifier)
  if (fault !== undefined) return failed(request, 'SIGNATURE_INVALID', fault, now)
  if (isProven(signedHash)) return suspicious(request, 'the challenge was verified before', now)
  if (ceremony === undefined || verifier.type !== 'FIDO') return verified(request, signedHash, now)
  const { signCount: from } = verifier
  const { signCount: to } = ceremony
  const copied = countFault(from, to)
  if (copied !== undefined) return suspicious(request, copied, now)
  return { ...verified(request, signedHash, now), signCount: { from, to } }
}

/** Only the DFSP of a consent may request verifications. */
function consentFault(consent: Consent | undefined, fspId: string): VerificationReason | undefined {
  if (consent === undefined || consent.state === 'REFUSED') return 'CONSENT_UNKNOWN'
  if (consent.state === 'REVOKED') return 'CONSENT_REVOKED'
  if (consent.dfspId !== fspId) return 'NOT_PARTY'
  return consent.state === 'PENDING' ? 'CONSENT_PENDING' : undefined
}

function verified(request: VerificationRequest, signedHash: string, now: Date): Decision {
  return decided(request, { type: 'VERIFIED', signedHash }, now)
}

function failed(
  request: VerificationRequest,
  reason: VerificationReason,
  detail: string,
  now: Date,
): Decision {
  return decided(request, { type: 'FAILED', reason, detail }, now)
}

/** A challenge that is used again is audited, and a signature counter that does not increase. */
function suspicious(request: VerificationRequest, detail: string, now: Date): Decision {
  const { eventId: causeId, consentId, verificationRequestId, requester } = request
  const { fspId } = requester
  const decision = failed(request, 'SIGNATURE_INVALID', detail, now)
  return {
    ...decision,
    answers: [
      ...decision.answers,
      { type: 'AUDIT', causeId, consentId, verificationRequestId, fspId, detail, at: now },
    ],
  }
}

function decided(
  { eventId, verificationRequestId, consentId, requester, requestHash }: VerificationRequest,
  result: VerificationResult,
  now: Date,
): Decision {
  const verification = {
    verificationRequestId,
    consentId,
    dfspId: requester.fspId,
    requestEventId: eventId,
    requestHash,
    result,
    decidedAt: now,
  }
  return { ...answering(answerOf(verification, requester, eventId)), verification }
}

function repeated(
  verification: Verification,
  consent: Consent | undefined,
  request: VerificationRequest,
): Decision {
  if (verification.requestEventId === request.eventId) return noChange
  const { eventId, requester, requestHash, verificationRequestId, consentId } = request
  if (verification.dfspId !== requester.fspId || verification.requestHash !== requestHash) {
    return answering({
      type: 'VERIFICATION',
      causeId: eventId,
      verificationRequestId,
      consentId,
      to: requester,
      result: 'ID_USED',
    })
  }
  return answering(answerNow(verification, consent, requester, eventId))
}

/** GET /thirdpartyRequests/verifications/{ID}. */
export interface VerificationQuery {
  readonly eventId: string
  readonly verificationRequestId: string
  readonly requester: Requester
}

/** Only the DFSP that requested a verification may query it. */
export function decideVerificationQuery(
  { consent, verification }: VerificationKnown,
  { eventId: causeId, verificationRequestId, requester: to }: VerificationQuery,
): Decision {
  if (verification !== undefined && verification.dfspId === to.fspId) {
    return answering(answerNow(verification, consent, to, causeId))
  }
  const result = verification === undefined ? 'VERIFICATION_UNKNOWN' : 'NOT_PARTY'
  return answering({
    type: 'VERIFICATION',
    causeId,
    verificationRequestId,
    consentId: undefined,
    to,
    result,
  })
}

function answerNow(
  verification: Verification,
  consent: Consent | undefined,
  to: Requester,
  causeId: string,
): VerificationAnswer {
  const answer = answerOf(verification, to, causeId)
  return verification.result.type === 'VERIFIED' && consent?.state !== 'ISSUED'
    ? { ...answer, result: 'CONSENT_REVOKED' }
    : answer
}

function answerOf(
  { verificationRequestId, consentId, result }: Verification,
  to: Requester,
  causeId: string,
): VerificationAnswer {
  return {
    type: 'VERIFICATION',
    causeId,
    verificationRequestId,
    consentId,
    to,
    result: result.type === 'VERIFIED' ? 'VERIFIED' : result.reason,
  }
}
