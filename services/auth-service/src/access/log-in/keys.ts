/** Security keys of operators: registration by their owners, and their removal. */
import type { Transaction } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { registerCredential, type Registered } from '../fido/ceremonies.ts'
import { createChallenge, type MadeChallenge } from '../fido/challenges.ts'
import { credentialsOf, deleteCredentials } from '../fido/credential-store.ts'
import { invalidateTokensOf } from '../operators/announce.ts'
import type { Operator } from '../operators/domain/operator.ts'
import { endSessionsOf } from '../operators/session-store.ts'
import type { SessionParts } from '../operators/sessions.ts'
import { operatorsOf } from '../operators/store.ts'
import { lockNamed } from '../../lock.ts'
import { record } from '../../record.ts'

const realm = 'OPERATOR'

export async function beginKeyRegistration(
  parts: SessionParts,
  name: string,
  now: Date,
): Promise<MadeChallenge | RefusedCommand> {
  const fault = await ownerFault(parts, name)
  if (fault !== undefined) return fault
  return createChallenge(parts.fido, { realm, purpose: 'REGISTER', userId: name }, now)
}

export interface KeyRegistration {
  readonly operator: string
  readonly name: string
  readonly payload: unknown
}

export async function registerKey(
  parts: SessionParts,
  { operator, name, payload }: KeyRegistration,
  now: Date,
): Promise<Registered | RefusedCommand> {
  const fault = await ownerFault(parts, operator)
  if (fault !== undefined) return fault
  const registration = { realm, userId: operator, name, payload, actor: operator } as const
  return registerCredential(parts.fido, registration, now)
}

/** Who knows an initial password is not yet known to be its owner. */
async function ownerFault({ db }: SessionParts, name: string): Promise<RefusedCommand | undefined> {
  const [operator] = await operatorsOf(db, [name])
  if (operator?.isActive !== true) return unknownOperator(name)
  if (operator.kind === 'MACHINE') return refuse('INVALID', 'a program has no security key')
  return operator.mustChange ? refuse('INVALID', 'change your password first') : undefined
}

export interface KeyRemoval {
  readonly operator: string
  /** Left out: all of them, which also ends every session. */
  readonly credentialId?: string | undefined
  readonly actor: string
}

export async function removeKeys(
  parts: SessionParts,
  removal: KeyRemoval,
  now: Date,
): Promise<RefusedCommand | undefined> {
  const { db, bus } = parts
  const { operator: userId, credentialId, actor } = removal
  return db.transaction(async (tx) => {
    await lockNamed(tx, `fido ${realm} ${userId}`)
    const [operator] = await operatorsOf(tx, [userId])
    if (operator === undefined) return unknownOperator(userId)
    const before = await credentialsOf(tx, realm, userId)
    const removed = await deleteCredentials(tx, realm, userId, credentialId)
    if (removed === 0) {
      return credentialId === undefined
        ? undefined
        : refuse('CREDENTIAL_UNKNOWN', `${userId} has no such key`)
    }
    if (credentialId === undefined) await endAllSessions(parts, tx, operator, now)
    const after = await credentialsOf(tx, realm, userId)
    record(bus, tx, {
      actor,
      action: 'RemoveFidoCredentials',
      subject: `operators/${userId}`,
      before: recordOf(before),
      after: recordOf(after),
      at: now,
    })
    return undefined
  })
}

async function endAllSessions(
  { bus, life_s }: SessionParts,
  tx: Transaction,
  operator: Operator,
  now: Date,
): Promise<void> {
  await endSessionsOf(tx, operator.name, now)
  await invalidateTokensOf(bus, tx, operator, { now, life_s })
}

function recordOf(keys: Awaited<ReturnType<typeof credentialsOf>>) {
  return { keys: keys.map(({ credentialId, name }) => ({ credentialId, name })) }
}

function unknownOperator(name: string): RefusedCommand {
  return refuse('OPERATOR_UNKNOWN', `there is no operator ${name}`)
}
