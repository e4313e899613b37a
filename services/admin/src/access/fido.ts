/**
 * FIDO for the users of components, with the names of the reference architecture: each call makes a
 * challenge first, and is repeated with the signed one.
 */
import type { FidoChallengeCreationPurpose } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { word } from '../fields.ts'
import { writes, type Operation } from '../operation.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import {
  challengeBody,
  challengeText,
  credentialBytes,
  shownChallenge,
  transactionId,
} from './credentials.ts'

/** The library that reads attestations is loaded with the first one. */
const deadline_ms = 10_000

const registration = z.strictObject({
  userId: word,
  challenge: challengeText.optional(),
  attestationObject: credentialBytes.optional(),
  clientDataJSON: credentialBytes.optional(),
})
const assertion = {
  /** Of a request for a challenge. */
  userId: word.optional(),
  challenge: challengeText.optional(),
  credentialId: credentialBytes.optional(),
  authenticatorData: credentialBytes.optional(),
  clientDataJSON: credentialBytes.optional(),
  signature: credentialBytes.optional(),
}
const authentication = z.strictObject(assertion)
const authorization = z.strictObject({
  ...assertion,
  transactionId,
  /** A hash of what the user authorizes. */
  transactionHash: z.string().min(1).max(128),
})

const ofAttestation = ['attestationObject', 'clientDataJSON'] as const
const ofAssertion = ['credentialId', 'authenticatorData', 'clientDataJSON', 'signature'] as const

export function fidoOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/fido-register',
      registration,
      {
        about:
          "Registers a user's authenticator. With userId alone: makes the challenge; then, with the attestation, verifies it and stores the public key",
        answers: {
          200: z.strictObject({ credentialId: z.string(), publicKey: z.string() }),
          201: shownChallenge,
        },
        refuses: ['PROOF_INVALID', 'CREDENTIAL_EXISTS', 'CREDENTIALS_FULL'],
      },
      ({ body, actor }) =>
        body.challenge === undefined
          ? begin(deps, 'REGISTER', body)
          : register(deps, { ...body, challenge: body.challenge }, actor),
    ),
    writes(
      'POST',
      '/fido-authenticate',
      authentication,
      {
        about:
          'Verifies that an authenticator signed. With userId alone: makes the challenge; then verifies the assertion and its counter',
        answers: {
          200: z.strictObject({
            valid: z.boolean(),
            userId: z.string().optional(),
            signCount: z.int().optional(),
          }),
          201: shownChallenge,
        },
        refuses: ['CREDENTIAL_UNKNOWN'],
      },
      ({ body, actor }) =>
        body.challenge === undefined
          ? begin(deps, 'AUTHENTICATE', body)
          : authenticate(deps, { ...body, challenge: body.challenge }, actor),
    ),
    writes(
      'POST',
      '/fido-authorize',
      authorization,
      {
        about:
          'Verifies that a user authorized one transaction: as /fido-authenticate, with a challenge that is bound to transactionId and transactionHash',
        answers: {
          200: z.strictObject({ authorized: z.boolean() }),
          201: shownChallenge,
        },
        refuses: ['CREDENTIAL_UNKNOWN'],
      },
      ({ body, actor }) =>
        body.challenge === undefined
          ? begin(deps, 'AUTHORIZE', body)
          : authorize(deps, { ...body, challenge: body.challenge }, actor),
    ),
  ]
}

interface Begun {
  readonly userId?: string | undefined
  readonly transactionId?: string
  readonly transactionHash?: string
}

async function begin(
  { fido }: Deps,
  purpose: FidoChallengeCreationPurpose,
  body: Begun,
): Promise<OperationResult> {
  const { userId, transactionId: id, transactionHash } = body
  if (userId === undefined) return refused('MISSING', 'userId')
  const transaction =
    id === undefined || transactionHash === undefined ? {} : { transactionId: id, transactionHash }
  const { challenge, refusal } = await fido.CreateFidoChallenge({ purpose, userId, ...transaction })
  if (refusal) return refusedUpstream(refusal)
  if (!challenge) throw new Error('a challenge was requested and not returned')
  return answered(201, challengeBody(challenge))
}

type Answering<Body> = Body & { readonly challenge: string }

async function register(
  { fido }: Deps,
  body: Answering<z.infer<typeof registration>>,
  actor: string,
): Promise<OperationResult> {
  const absent = ofAttestation.find((name) => body[name] === undefined)
  if (absent !== undefined) return refused('MISSING', absent)
  const { userId, challenge, ...response } = body
  const message = { userId, challenge, attestationJson: JSON.stringify({ response }), actor }
  const { credential, refusal } = await fido.RegisterFidoCredential(message, { deadline_ms })
  if (refusal) return refusedUpstream(refusal)
  if (!credential) throw new Error('a credential was registered and not returned')
  const { credentialId, publicKey } = credential
  return answered(200, { credentialId, publicKey })
}

/** A wrong signature is an answer here: the component decides what follows from it. */
async function authenticate(
  { fido }: Deps,
  body: Answering<z.infer<typeof authentication>>,
  actor: string,
): Promise<OperationResult> {
  const absent = ofAssertion.find((name) => body[name] === undefined)
  if (absent !== undefined) return refused('MISSING', absent)
  const message = { purpose: 'AUTHENTICATE', ...signed(body), actor } as const
  const { verified, refusal } = await fido.VerifyFidoAssertion(message, { deadline_ms })
  if (refusal?.reason === 'PROOF_INVALID') return answered(200, { valid: false })
  if (refusal) return refusedUpstream(refusal)
  if (!verified) throw new Error('an assertion was neither verified nor refused')
  const { userId, signCount } = verified
  return answered(200, { valid: true, userId, signCount })
}

async function authorize(
  { fido }: Deps,
  body: Answering<z.infer<typeof authorization>>,
  actor: string,
): Promise<OperationResult> {
  const absent = ofAssertion.find((name) => body[name] === undefined)
  if (absent !== undefined) return refused('MISSING', absent)
  const { transactionId: id, transactionHash } = body
  const transaction = { purpose: 'AUTHORIZE', transactionId: id, transactionHash } as const
  const message = { ...transaction, ...signed(body), actor }
  const { refusal } = await fido.VerifyFidoAssertion(message, { deadline_ms })
  if (refusal && refusal.reason !== 'PROOF_INVALID') return refusedUpstream(refusal)
  return answered(200, { authorized: !refusal })
}

function signed(body: Answering<z.infer<typeof authentication>>) {
  const { challenge, credentialId: id, authenticatorData, clientDataJSON, signature } = body
  const response = { authenticatorData, clientDataJSON, signature }
  return { challenge, assertionJson: JSON.stringify({ id, response }) }
}
