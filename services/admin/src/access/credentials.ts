/** The credentials of the Web Authentication API, as clients send and receive them. */
import type { FidoChallenge, KeyChallenge } from '@causeway/protos'
import { z } from 'zod'
import type { Json } from '../json.ts'
import { shownTime } from '../shapes.ts'

/** base64url, or base64; with or without padding. */
const bytes = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[\w+/-]+={0,2}$/, { error: 'must be base64url' })

const named = { id: bytes, rawId: bytes.optional(), type: z.literal('public-key').optional() }

/** PublicKeyCredential with an AuthenticatorAttestationResponse; other members are not read. */
export const attestation = z
  .object({ ...named, response: z.object({ clientDataJSON: bytes, attestationObject: bytes }) })
  .meta({ id: 'FidoAttestation' })

/** PublicKeyCredential with an AuthenticatorAssertionResponse; other members are not read. */
export const assertion = z
  .object({
    ...named,
    response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
  })
  .meta({ id: 'FidoAssertion' })

export const credentialBytes = bytes

export const challengeText = z.string().min(1).max(128)

export const transactionId = z.string().min(1).max(128)

export const shownChallenge = z
  .strictObject({
    challenge: z.string(),
    rpId: z.string(),
    /** Empty: any of the relying party. */
    credentialIds: z.array(z.string()),
    /** For the registration of an authenticator. */
    userHandle: z.string().optional(),
    expiresDate: shownTime,
  })
  .meta({ id: 'FidoChallenge' })

export const shownKeyChallenge = z
  .strictObject({
    transactionId: z.string(),
    userVerification: z.enum(['required', 'preferred']),
    fido: shownChallenge,
  })
  .meta({ id: 'KeyChallenge' })

export function challengeBody({ challenge, rpId, credentialIds, ...rest }: FidoChallenge) {
  const handle = rest.userHandle === undefined ? {} : { userHandle: rest.userHandle }
  return { challenge, rpId, credentialIds, ...handle, expiresDate: rest.expiresAt } satisfies Json
}

export function keyChallengeBody({ transactionId: id, challenge, ...rest }: KeyChallenge) {
  if (!challenge) throw new Error('a log-in with a key was begun without a challenge')
  return {
    transactionId: id,
    userVerification: rest.userVerificationRequired ? 'required' : 'preferred',
    fido: challengeBody(challenge),
  } satisfies Json
}
