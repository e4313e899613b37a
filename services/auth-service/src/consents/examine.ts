/**
 * Cryptographic checks that a decision will need. They run before it, without lock or transaction;
 * an unneeded result is discarded.
 */
import type { X509Certificate } from 'node:crypto'
import {
  checkAssertion,
  checkAttestation,
  checkGenericRegistration,
  checkGenericSignature,
  type CredentialCheck,
  type SignatureCheck,
} from '@causeway/credentials'
import { consentClientChallenges, transactionClientChallenges } from '@causeway/fspiop'
import type { ConsentCommand } from './contract.ts'
import type { StoredConsents } from './store.ts'

export interface Checks {
  readonly credential?: CredentialCheck
  readonly signature?: SignatureCheck
}

type Of<Type extends ConsentCommand['type']> = Extract<ConsentCommand, { type: Type }>

/** Checks nothing for a command whose decision does not need it. */
export async function examine(
  command: ConsentCommand,
  known: StoredConsents,
  roots: readonly X509Certificate[],
): Promise<Checks> {
  if (known.handled.has(command.eventId)) return {}
  switch (command.type) {
    case 'REGISTER': {
      const consent = known.consents.get(command.registration.consentId)
      const isNew = consent === undefined || consent.state === 'REFUSED'
      return isNew && command.registration.fault === undefined
        ? { credential: await credentialCheck(command, roots) }
        : {}
    }
    case 'VERIFY':
      return verificationChecks(command, known)
    default:
      return {}
  }
}

/**
 * Whether the registration proves the credential.
 *
 * @param roots one of them has to have certified an authenticator; empty: any maker is accepted
 */
export function credentialCheck(
  {
    credentialType,
    payload,
    challenge,
  }: Pick<Of<'REGISTER'>, 'credentialType' | 'payload' | 'challenge'>,
  roots: readonly X509Certificate[],
): Promise<CredentialCheck> | CredentialCheck {
  return credentialType === 'FIDO'
    ? checkAttestation(payload, consentClientChallenges(challenge), roots)
    : checkGenericRegistration(payload, challenge)
}

async function verificationChecks(command: Of<'VERIFY'>, known: StoredConsents): Promise<Checks> {
  const { request, payload, challenge } = command
  const consent = known.consents.get(request.consentId)
  const isNew = !known.verifications.has(request.verificationRequestId)
  if (!isNew || consent?.state !== 'ISSUED' || consent.dfspId !== request.requester.fspId) return {}
  const { verifier } = consent
  if (verifier.type !== request.signedPayloadType) return {}
  return {
    signature:
      verifier.type === 'FIDO'
        ? await checkAssertion(payload, transactionClientChallenges(challenge), verifier)
        : checkGenericSignature(payload, challenge, verifier),
  }
}
