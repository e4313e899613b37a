/** Decides a command, given the stored state and the results of the cryptographic checks. Pure. */
import {
  allowedFor,
  originFault,
  relyingPartyOf,
  type RelyingPartyPolicy,
} from '@causeway/credentials'
import type { ConsentCommand } from './contract.ts'
import { noChange, type Decision, type Unexamined } from './domain/decision.ts'
import { decideOwnership, decideParties, decideRegistration } from './domain/register.ts'
import { decideRevocation } from './domain/revoke.ts'
import { decideVerification } from './domain/verify.ts'
import type { Checks } from './examine.ts'
import { provenKey, type StoredConsents } from './store.ts'

export interface DecisionContext {
  readonly policy: RelyingPartyPolicy
  /** The participant name of the auth service. */
  readonly participant: string
}

export function decide(
  command: ConsentCommand,
  known: StoredConsents,
  checks: Checks,
  { policy, participant }: DecisionContext,
  now: Date,
): Decision | Unexamined {
  if (known.handled.has(command.eventId)) return noChange
  const consentId = consentIdOf(command)
  const consent = known.consents.get(consentId)
  const parties = known.parties.get(consentId)
  switch (command.type) {
    case 'REGISTER': {
      const { registration } = command
      const allowed = allowedFor(policy, parties?.pispId, registration.requester.fspId)
      return decideRegistration(
        { consent, parties },
        registration,
        checks.credential,
        (ceremony) => relyingPartyOf(ceremony, policy, allowed),
        now,
      )
    }
    case 'OBSERVE':
      return decideParties(parties, consent, command.parties)
    case 'OWN':
      return decideOwnership(consent, command.ownership, participant, now)
    case 'REVOKE':
      return decideRevocation(consent, parties, command.revocation, now)
    case 'VERIFY': {
      const { request } = command
      const verification = known.verifications.get(request.verificationRequestId)
      const allowed = allowedFor(policy, parties?.pispId, request.requester.fspId)
      return decideVerification(
        { consent, verification },
        request,
        checks.signature,
        (ceremony, verifier) => originFault(ceremony, verifier, policy, allowed),
        (signedHash) => known.proven.has(provenKey({ consentId, signedHash })),
        now,
      )
    }
  }
}

export function consentIdOf(command: ConsentCommand): string {
  switch (command.type) {
    case 'REGISTER':
      return command.registration.consentId
    case 'OBSERVE':
      return command.parties.consentId
    case 'OWN':
      return command.ownership.consentId
    case 'REVOKE':
      return command.revocation.consentId
    case 'VERIFY':
      return command.request.consentId
  }
}
