/**
 * A DFSP that verifies its users' keys and signatures itself. A key may only be used at the site or
 * app where it was made, and its signature counter never decreases.
 */
import {
  checkAssertion,
  checkAttestation,
  checkGenericRegistration,
  checkGenericSignature,
  countFault,
  originFault,
  relyingPartyOf,
  type RelyingPartyPolicy,
} from '@causeway/credentials'
import {
  consentChallenge,
  consentClientChallenges,
  errorInformation,
  transactionClientChallenges,
} from '@causeway/fspiop'
import type { SignedPayload } from '../consent.ts'
import type { Link } from './link.ts'
import type { Links } from './links.ts'
import type { SignatureVerdict } from './payment.ts'
import type { KeyRegistration, StoredKey, Verifier } from './verifier.ts'

/** Any site or app of the web, as long as it stays the same. */
const policy_usually: RelyingPartyPolicy = {
  allowed: new Map(),
  acceptsNativeOrigins: true,
  acceptsLocalhost: false,
  acceptsCrossOrigin: false,
  requiresUserVerification: false,
}

const wrong: SignatureVerdict = { type: 'WRONG_SIGNATURE' }

export function localVerifier(links: Links, policy: RelyingPartyPolicy = policy_usually): Verifier {
  return {
    register: (link) => register(link, policy),
    async verify(link, challenge, signed) {
      const { key } = link
      if (key?.type !== signed.signedPayloadType) return wrong
      return key.type === 'FIDO'
        ? verifyAssertion({ links, policy }, link.consentId, { key, challenge, signed })
        : verifyGeneric(key, challenge, signed)
    },
    revoke: () => Promise.resolve(new Date().toISOString()),
  }
}

async function register(
  { consentId, scopes, credential }: Link & { readonly state: 'CHECKING' },
  policy: RelyingPartyPolicy,
): Promise<KeyRegistration> {
  const challenge = consentChallenge({ consentId, scopes })
  const check =
    credential.credentialType === 'FIDO'
      ? await checkAttestation(credential.fidoPayload, consentClientChallenges(challenge))
      : checkGenericRegistration(credential.genericPayload, challenge)
  if (check.type === 'INVALID') return { error: errorInformation('6200') }
  const { verifier, ceremony } = check
  if (verifier.type === 'GENERIC' || ceremony === undefined) return { key: verifier }
  const place = relyingPartyOf(ceremony, policy, undefined)
  if (place.type === 'REFUSED') return { error: errorInformation('6200') }
  return { key: { ...verifier, rpId: place.rpId } }
}

async function verifyAssertion(
  { links, policy }: { readonly links: Links; readonly policy: RelyingPartyPolicy },
  consentId: string,
  asked: {
    readonly key: StoredKey & { readonly type: 'FIDO' }
    readonly challenge: string
    readonly signed: SignedPayload
  },
): Promise<SignatureVerdict> {
  const { key, challenge, signed } = asked
  if (signed.signedPayloadType !== 'FIDO') return wrong
  const challenges = transactionClientChallenges(challenge)
  const check = await checkAssertion(signed.fidoSignedPayload, challenges, key)
  if (check.type === 'INVALID' || check.ceremony === undefined) return wrong
  if (originFault(check.ceremony, key, policy, undefined) !== undefined) return wrong
  // Another signature may have been verified in the meantime: the current counter counts.
  const link = links.get(consentId)
  if (link?.state !== 'VERIFIED' || link.key?.type !== 'FIDO') return { type: 'CONSENT_NOT_VALID' }
  const { signCount } = check.ceremony
  if (countFault(link.key.signCount, signCount) !== undefined) return wrong
  links.put({ ...link, key: { ...link.key, signCount } })
  return { type: 'VERIFIED' }
}

function verifyGeneric(
  key: StoredKey & { readonly type: 'GENERIC' },
  challenge: string,
  signed: SignedPayload,
): SignatureVerdict {
  if (signed.signedPayloadType !== 'GENERIC') return wrong
  const check = checkGenericSignature(signed.genericSignedPayload, challenge, key)
  return check.type === 'VALID' ? { type: 'VERIFIED' } : wrong
}
