/** Maps answers to events. Each id is derived from the cause, so the same answer is one event. */
import type { OutgoingMessage } from '@causeway/bus'
import { auditEntry, derivedId, newEvent } from '@causeway/events'
import type { ConsentDocument } from './domain/consent.ts'
import type { ConsentAnswer, VerificationAnswer } from './domain/decision.ts'
import { errorOf } from './errors.ts'

export interface MessageContext {
  /** The participant name of the auth service. */
  readonly participant: string
  readonly traceparent: string | undefined
}

/** The version of the POST /participants that a claim replaces. */
const participantsVersion = '1.1'

export function messageOf(
  answer: ConsentAnswer,
  { participant, traceparent }: MessageContext,
): OutgoingMessage {
  const { causeId } = answer
  const options = (name: string) => ({ id: derivedId(causeId, name), traceparent })
  switch (answer.type) {
    case 'CLAIM': {
      const claim = {
        partyKey: `CONSENTS/${answer.consentId}`,
        partyIdType: 'CONSENTS' as const,
        partyIdentifier: answer.consentId,
        requesterFspId: participant,
        isGranter: answer.isGranter,
        version: participantsVersion,
      }
      const name = 'ConsentOwnershipClaimed'
      return newEvent('auth-service', name, claim, options(name))
    }
    case 'REGISTERED': {
      const name = 'ConsentRegistered'
      const payload = { ...requestFields(answer), body: verifiedBody(answer.document) }
      return newEvent('auth-service', name, payload, options(name))
    }
    case 'REFUSED': {
      const name = 'ConsentRefused'
      const payload = { ...requestFields(answer), errorInformation: errorOf(answer.reason) }
      return newEvent('auth-service', name, payload, options(name))
    }
    case 'REVOKED': {
      const name = 'ConsentRevoked'
      const { consentId, revokedAt } = answer
      const recipients = answer.recipients.map(({ fspId, version }) => ({ fspId, version }))
      const payload = { consentId, revokedAt: revokedAt.toISOString(), recipients }
      return newEvent('auth-service', name, payload, options(name))
    }
    case 'VERIFICATION':
      return verificationMessage(answer, options('VerificationAnswered'))
    case 'AUDIT':
      return auditMessage(answer)
  }
}

function verificationMessage(
  answer: VerificationAnswer,
  options: { readonly id: string; readonly traceparent: string | undefined },
): OutgoingMessage {
  const { verificationRequestId, consentId, to, result } = answer
  const payload = {
    verificationRequestId,
    ...(consentId === undefined ? {} : { consentId }),
    requesterFspId: to.fspId,
    version: to.version,
    result:
      result === 'VERIFIED'
        ? { authenticationResponse: 'VERIFIED' as const }
        : { errorInformation: errorOf(result) },
  }
  return newEvent('auth-service', 'VerificationAnswered', payload, options)
}

function requestFields({
  consentId,
  to,
}: Extract<ConsentAnswer, { type: 'REGISTERED' | 'REFUSED' }>) {
  return { consentId, requesterFspId: to.fspId, version: to.version }
}

/** PUT /consents/{ID}: scopes and credential as received, verified now. */
function verifiedBody({ scopes, credential }: ConsentDocument): Record<string, unknown> {
  return { status: 'ISSUED', scopes, credential: { ...credential, status: 'VERIFIED' } }
}

function auditMessage(answer: Extract<ConsentAnswer, { type: 'AUDIT' }>): OutgoingMessage {
  const { causeId, consentId, verificationRequestId, fspId, detail, at } = answer
  return auditEntry('auth-service', {
    id: derivedId(causeId, '/audit-log-write'),
    actor: fspId,
    action: 'VerifySignature',
    subject: `consents/${consentId}`,
    before: null,
    after: null,
    at,
    successful: false,
    labels: { verificationRequestId, detail },
  })
}
