/** Security keys and passkeys of this browser (Web Authentication Level 3). */
import { call } from './api.ts'
import { bytesOf, textOf } from './domain/base64url.ts'
import type { FidoChallenge, KeyChallenge, Session } from './generated/operator-api.ts'

/** COSE algorithms that the hub verifies: ES256, EdDSA, RS256. */
const algorithms = [-7, -8, -257]

/** Why no key can be used on this page; undefined if one can. */
export function keyFault(): string | undefined {
  const { protocol, hostname, port, pathname } = window.location
  if (!window.isSecureContext || !('PublicKeyCredential' in window)) {
    return 'Security keys need https, or http://localhost.'
  }
  // The relying party of a key is a domain, never an address.
  return /^[\d.]+$|^\[/.test(hostname)
    ? `Security keys need a host name: open ${protocol}//localhost:${port}${pathname} on this machine.`
    : undefined
}

/** Registers a key for the operator of the session. */
export async function registerKey(operator: string, name: string): Promise<void> {
  const challenge = await call('POST /app-fido-register', { body: {} })
  if (!('challenge' in challenge)) throw new Error('The hub sent no challenge.')
  const attestation = await createKey(challenge, operator)
  await call('POST /app-fido-register', { body: { name, attestation } })
}

/** Signs the challenge of a log-in and returns its session. */
export async function logInWithKey(challenge: KeyChallenge): Promise<Session> {
  const { session } = await authorize(challenge)
  if (session === undefined) throw new Error('The hub opened no session.')
  return session
}

/** Signs the approval of a request, where the hub requires it. */
export async function signApproval(requestId: string): Promise<void> {
  const challenge = await call('POST /app-fido-challenge', { body: { transactionId: requestId } })
  if (challenge !== undefined) await authorize(challenge)
}

async function authorize(challenge: KeyChallenge) {
  const assertion = await sign(challenge)
  const { transactionId } = challenge
  return call('POST /app-fido-authorize', { body: { transactionId, assertion } })
}

async function createKey({ challenge, rpId, ...rest }: FidoChallenge, operator: string) {
  const created = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: rpId, name: 'Causeway' },
        user: { id: bytesOf(rest.userHandle ?? ''), name: operator, displayName: operator },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: descriptors(rest.credentialIds),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        attestation: 'none',
      },
    }),
  )
  const { clientDataJSON, attestationObject } = created.response as AuthenticatorAttestationResponse
  return {
    id: textOf(created.rawId),
    type: 'public-key',
    response: {
      clientDataJSON: textOf(clientDataJSON),
      attestationObject: textOf(attestationObject),
    },
  }
}

async function sign({ fido, userVerification }: KeyChallenge) {
  const signed = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: bytesOf(fido.challenge),
        rpId: fido.rpId,
        allowCredentials: descriptors(fido.credentialIds),
        userVerification,
      },
    }),
  )
  const response = signed.response as AuthenticatorAssertionResponse
  return {
    id: textOf(signed.rawId),
    type: 'public-key',
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
    },
  }
}

function descriptors(ids: readonly string[]): PublicKeyCredentialDescriptor[] {
  return ids.map((id) => ({ type: 'public-key', id: bytesOf(id) }))
}

/** Browsers give no reason, so that a page cannot find out which keys exist. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  const fault = keyFault()
  if (fault !== undefined) throw new Error(fault)
  try {
    const credential = await ask()
    if (credential instanceof PublicKeyCredential) return credential
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError') {
      throw new Error('This key is registered already.', { cause: error })
    }
    throw new Error('The security key was not used: it was cancelled, or no key of yours fits.', {
      cause: error,
    })
  }
  throw new Error('The browser has no security key.')
}
