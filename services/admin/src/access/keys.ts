/**
 * Security keys of operators: their owners register and remove them, administrators reset them, and they sign
 * approvals.
 */
import type { SecurityKey } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { word } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { attestation, challengeBody, shownChallenge } from './credentials.ts'
import type { GuardedOperation } from './privileges.ts'

/** The library that reads attestations is loaded with the first one. */
const deadline_ms = 10_000

const registration = z.strictObject({
  /** The caller's own name. */
  userId: word.optional(),
  attestation: attestation.optional(),
  /** How the operator calls the key. */
  name: word.max(64).optional(),
})

const shownKeys = z.array(
  z
    .strictObject({
      credentialId: z.string(),
      name: z.string(),
      /** It verifies its user, by a PIN or a fingerprint, so that it is a log-in by itself. */
      verifiesUser: z.boolean(),
      createdDate: shownTime,
      lastUsedDate: shownTime.nullable(),
    })
    .meta({ id: 'SecurityKey' }),
)

/** By the operator itself. */
export function ownKeyOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/app-fido-register',
      registration,
      {
        about:
          "Registers the caller's security key. Without attestation: makes the challenge; then verifies the attestation and stores the public key",
        answers: { 200: z.strictObject({ credentialId: z.string() }), 201: shownChallenge },
        refuses: [
          'OPERATOR_UNKNOWN',
          'NOT_ONESELF',
          'PROOF_INVALID',
          'CREDENTIAL_EXISTS',
          'CREDENTIALS_FULL',
        ],
      },
      ({ body, actor }) => register(deps, body, actor),
    ),
    reads(
      '/app-fido-keys',
      { about: "The caller's security keys, oldest first", answers: { 200: shownKeys } },
      ({ actor }) => keysOf(deps, actor),
    ),
    commands(
      'DELETE',
      '/app-fido-keys/:credentialId',
      {
        about: 'Removes a security key of the caller',
        answers: { 204: null },
        refuses: ['OPERATOR_UNKNOWN', 'CREDENTIAL_UNKNOWN'],
      },
      ({ credentialId, actor }) => remove(deps, { operator: actor, credentialId, actor }),
    ),
  ]
}

/** By an administrator, for a colleague. */
export function operatorKeyOperations(deps: Deps): readonly Operation[] {
  const path = '/operators/:operator/fido-keys'
  return [
    reads(
      path,
      { about: 'The security keys of an operator, oldest first', answers: { 200: shownKeys } },
      ({ operator }) => keysOf(deps, operator),
    ),
    commands(
      'DELETE',
      path,
      {
        about: 'Removes all security keys of an operator and ends every session',
        answers: { 204: null },
        refuses: ['OPERATOR_UNKNOWN'],
      },
      ({ operator, actor }) => remove(deps, { operator, actor }),
    ),
  ]
}

async function register(
  { logIns }: Deps,
  { userId, attestation: sent, name }: z.infer<typeof registration>,
  actor: string,
): Promise<OperationResult> {
  if (userId !== undefined && userId !== actor) {
    return refused('NOT_ONESELF', 'only its owner can register a security key')
  }
  if (sent === undefined) {
    const { challenge, refusal } = await logIns.BeginKeyRegistration({ operator: actor })
    if (refusal) return refusedUpstream(refusal)
    if (!challenge) throw new Error('a challenge was requested and not returned')
    return answered(201, challengeBody(challenge))
  }
  if (name === undefined) return refused('MISSING', 'name')
  const message = { operator: actor, name, attestationJson: JSON.stringify(sent) }
  const { credential, refusal } = await logIns.RegisterKey(message, { deadline_ms })
  if (refusal) return refusedUpstream(refusal)
  if (!credential) throw new Error('a security key was registered and not returned')
  return answered(200, { credentialId: credential.credentialId })
}

async function keysOf({ logIns }: Deps, operator: string): Promise<OperationResult> {
  return answered(200, (await logIns.ListKeys({ operator })).keys.map(keyBody))
}

function keyBody({ credentialId, name, verifiesUser, createdAt, lastUsedAt }: SecurityKey) {
  const dates = { createdDate: createdAt, lastUsedDate: lastUsedAt ?? null }
  return { credentialId, name, verifiesUser, ...dates } satisfies Json
}

async function remove(
  { logIns }: Deps,
  removal: { readonly operator: string; readonly credentialId?: string; readonly actor: string },
): Promise<OperationResult> {
  const { refusal } = await logIns.RemoveKeys(removal)
  return refusal ? refusedUpstream(refusal) : answered(204)
}

const approval = z.object({ decision: z.literal('APPROVE'), requestId: z.string() })

/**
 * Wraps each `/Approve…` operation: the signature of a security key is used once, by the approval of the request
 * that it names (auth-service, AUTH_SERVICE_FIDO_REQUIRED=approval). The others are unchanged.
 */
export function withSignedApprovals(
  deps: Pick<Deps, 'logIns' | 'settings'>,
  operations: readonly GuardedOperation[],
): readonly GuardedOperation[] {
  // Without log-in no caller has a key.
  if (deps.settings.OPERATOR_IDENTITY === 'none') return operations
  return operations.map((operation) =>
    operation.path.startsWith('/Approve') ? signed(deps, operation) : operation,
  )
}

function signed({ logIns }: Pick<Deps, 'logIns'>, operation: GuardedOperation): GuardedOperation {
  const { about } = operation
  return {
    ...operation,
    about: { ...about, refuses: [...(about.refuses ?? []), 'KEY_REQUIRED'] },
    async run(call) {
      const { data } = approval.safeParse(call.body)
      if (data !== undefined) {
        const transaction = { operator: call.actor, transactionId: data.requestId }
        const { refusal } = await logIns.UseAuthorization(transaction)
        if (refusal) return refusedUpstream(refusal)
      }
      return operation.run(call)
    },
  }
}
