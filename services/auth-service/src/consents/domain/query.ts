/**
 * GET /consents/{ID}: the parties see an issued consent; for any other state they get the reason.
 */
import { isParty, type Consent, type ConsentParties, type Requester } from './consent.ts'
import { answering, type Decision } from './decision.ts'
import { issuedAnswer } from './register.ts'
import type { ConsentReason } from './reason.ts'

export interface ConsentQuery {
  readonly eventId: string
  /** A consentId, or a consentRequestId, which the specification also allows. */
  readonly consentId: string
  readonly requester: Requester
}

export function decideQuery(
  consent: Consent | undefined,
  parties: ConsentParties | undefined,
  { eventId: causeId, consentId, requester: to }: ConsentQuery,
): Decision {
  const reason = queryFault(consent, parties, to.fspId)
  if (reason === undefined && consent?.state === 'ISSUED') {
    return answering({ ...issuedAnswer(consent, to, causeId), consentId })
  }
  return answering({
    type: 'REFUSED',
    causeId,
    consentId,
    to,
    reason: reason ?? 'CONSENT_UNKNOWN',
  })
}

function queryFault(
  consent: Consent | undefined,
  parties: ConsentParties | undefined,
  fspId: string,
): ConsentReason | undefined {
  if (consent === undefined || consent.state === 'REFUSED') return 'CONSENT_UNKNOWN'
  if (!isParty(consent, parties, fspId)) return 'NOT_PARTY'
  if (consent.state === 'REVOKED') return 'CONSENT_REVOKED'
  return consent.state === 'PENDING' ? 'CONSENT_PENDING' : undefined
}
