/**
 * Signatures of operators' security keys: they end a log-in, or authorize one transaction, such as
 * the approval of a request.
 */
import { hash } from 'node:crypto'
import type { Transaction } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { recordSignature, verifyAssertion, type VerifiedSignature } from '../fido/ceremonies.ts'
import { saveAuthorization, spendAuthorization } from '../fido/challenge-store.ts'
import { createChallenge } from '../fido/challenges.ts'
import { credentialsOf } from '../fido/credential-store.ts'
import { mustHaveKey } from '../operators/domain/key-rule.ts'
import { allRoles } from '../operators/role-store.ts'
import {
  startSession,
  tokensOf,
  type KeyStep,
  type OpenSession,
  type SessionParts,
  type StartedSession,
} from '../operators/sessions.ts'
import { operatorsOf } from '../operators/store.ts'

const realm = 'OPERATOR'
const transaction_id_length_max = 128

/** 'NOT_REQUIRED' where no signature is required of the operator. */
export async function beginAuthorization(
  parts: SessionParts,
  operator: string,
  transactionId: string,
  now: Date,
): Promise<KeyStep | 'NOT_REQUIRED' | RefusedCommand> {
  if (transactionId === '' || transactionId.length > transaction_id_length_max) {
    return refuse('INVALID', `transactionId must have 1 to ${transaction_id_length_max} characters`)
  }
  if (!(await mustSign(parts, operator))) return 'NOT_REQUIRED'
  if ((await credentialsOf(parts.db, realm, operator)).length === 0) {
    return refuse('KEY_MISSING', 'register a security key first')
  }
  const transactionHash = hashOf(transactionId)
  const transaction = { transactionId, transactionHash }
  const wanted = { realm, purpose: 'AUTHORIZE', userId: operator, ...transaction } as const
  const challenge = await createChallenge(parts.fido, wanted, now)
  return challenge.type === 'REFUSE' ? challenge : { type: 'KEY', transactionId, challenge }
}

/** Whether each approval of the operator must be signed. */
async function mustSign({ db, keyRule }: SessionParts, name: string): Promise<boolean> {
  if (keyRule !== 'approval') return false
  const [operator] = await operatorsOf(db, [name])
  return operator !== undefined && mustHaveKey(operator, await allRoles(db), keyRule)
}

/** The id of a request determines its content, so its hash stands for what is authorized. */
function hashOf(transactionId: string): string {
  return hash('sha256', transactionId, 'hex')
}

export interface Authorized {
  readonly type: 'AUTHORIZED'
  /** Of a log-in. */
  readonly session: OpenSession | undefined
}

/** @param now of the signature; an authorization can be used for as long as a challenge lives */
export async function authorizeWithKey(
  parts: SessionParts,
  { transactionId, payload }: { readonly transactionId: string; readonly payload: unknown },
  now: Date,
): Promise<Authorized | RefusedCommand> {
  const use = { realm, purposes: ['LOG_IN', 'AUTHORIZE'], transactionId } as const
  const accepted = await verifyAssertion(parts.fido, { use, payload }, now, (tx, verified) =>
    accept(parts, tx, verified, now),
  )
  if (accepted.type === 'REFUSE') return accepted
  const { session } = accepted
  return {
    type: 'AUTHORIZED',
    session: session === undefined ? undefined : await tokensOf(parts, session, now),
  }
}

interface Accepted {
  readonly type: 'ACCEPTED'
  /** Of a log-in. */
  readonly session: StartedSession | undefined
}

/** What follows from a valid signature; a text: why nothing does. */
async function accept(
  parts: SessionParts,
  tx: Transaction,
  verified: VerifiedSignature,
  now: Date,
): Promise<Accepted | string> {
  const { challenge, credential } = verified
  const [operator] = await operatorsOf(tx, [credential.userId])
  if (operator?.isActive !== true) return 'the operator is disabled'
  if (challenge.purpose === 'LOG_IN') {
    const factor = challenge.userId === null ? 'KEY' : 'SECOND_FACTOR'
    return { type: 'ACCEPTED', session: await startSession(parts, tx, operator, { factor }, now) }
  }
  await saveAuthorization(tx, challenge.challenge, { now, until: endOf(parts, now) })
  recordSignature(parts.fido, tx, verified, { actor: operator.name, now })
  return { type: 'ACCEPTED', session: undefined }
}

function endOf({ fido }: SessionParts, now: Date): Date {
  return new Date(now.getTime() + fido.challengeLife_ms)
}

/** Uses the authorization of the transaction once, where one is required. */
export async function useAuthorization(
  parts: SessionParts,
  operator: string,
  transactionId: string,
  now: Date,
): Promise<RefusedCommand | undefined> {
  if (!(await mustSign(parts, operator))) return undefined
  const transaction = { id: transactionId, hash: hashOf(transactionId) }
  return (await spendAuthorization(parts.db, operator, transaction, now))
    ? undefined
    : refuse('KEY_REQUIRED', 'sign this approval with your security key')
}
