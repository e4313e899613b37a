/**
 * Creates and changes operators and their secrets; each change is audited with the state before.
 */
import type { EventBus } from '@causeway/bus'
import { mailAddressFault } from '@causeway/fspiop'
import type { Database, Transaction } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { record } from '../../record.ts'
import { lockNamed } from '../../lock.ts'
import { invalidateTokensOf } from './announce.ts'
import { claimAttempt } from './attempt-store.ts'
import {
  isOperatorName,
  leavesNoAdministrator,
  passwordFault,
  recordOf,
  type Kind,
  type Operator,
} from './domain/operator.ts'
import { isGuessable } from './guessable.ts'
import { refuseGrant } from './grants.ts'
import { allRoles } from './role-store.ts'
import type { InitialPasswords } from './initial-passwords.ts'
import { hashOfSecret, newSecret, type Secrets } from './secrets.ts'
import { endSessionsOf } from './session-store.ts'
import {
  allOperators,
  insertOperator,
  operatorsOf,
  saveOperator,
  saveRoles,
  saveSecret,
  saveSecretBy,
  secretHashOf,
  unbindIdentity,
  type NewOperator,
} from './store.ts'

export interface ManageParts {
  readonly db: Database
  readonly bus: EventBus
  readonly secrets: Secrets
  readonly initialPasswords: Pick<InitialPasswords, 'changed'>
  /** Lifetime of access tokens. */
  readonly life_s: number
  readonly attempts_max: number
  readonly lock_s: number
}

export interface Managed {
  readonly type: 'OPERATOR'
  readonly operator: Operator
  /** Returned once; undefined: no new one was created. */
  readonly secret?: string
}

const turn = 'operators'

export interface Creation {
  readonly name: string
  readonly kind: Kind
  readonly roles: readonly string[]
  /** Undefined: none. */
  readonly email?: string | undefined
  readonly actor: string
  /** Who approved it, and so sees the secret. */
  readonly approver?: string | undefined
}

/** Members of an operator's record that are encrypted in the audit log. */
const confidential = ['email']

export async function createOperator(
  { db, bus, secrets }: ManageParts,
  { name, kind, roles, email, actor, approver }: Creation,
): Promise<Managed | RefusedCommand> {
  if (!isOperatorName(name)) {
    return refuse('INVALID', 'name must have 2 to 64 lower-case letters, digits or . _ @ -')
  }
  const fault = emailFault(kind, email)
  if (fault !== undefined) return fault
  const mustChange = kind === 'PERSON'
  const made = await firstSecret(secrets, kind)
  if ('type' in made) return made
  const row: NewOperator = {
    name,
    kind,
    roles,
    email: email ?? null,
    mustChange,
    createdBy: actor,
    secretHash: made.hash,
    secretBy: seenBy(actor, approver),
  }
  return db.transaction(async (tx): Promise<Managed | RefusedCommand> => {
    await lockNamed(tx, turn)
    const unknown = await unknownRole(tx, roles)
    if (unknown !== undefined) return unknown
    const grant = { actor, approver, action: 'CreateOperator', subject: subject(name), roles }
    const excess = await refuseGrant(bus, tx, grant)
    if (excess !== undefined) return excess
    const now = new Date()
    if (!(await insertOperator(tx, row, now))) {
      return refuse('OPERATOR_EXISTS', `there is an operator ${name}`)
    }
    const operator = await operatorNamed(tx, name)
    const after = recordOf(operator)
    record(bus, tx, {
      actor,
      action: 'CreateOperator',
      subject: subject(name),
      before: null,
      after,
      confidential,
      at: now,
    })
    return { type: 'OPERATOR', operator, secret: made.secret }
  })
}

export interface OperatorChanges {
  readonly name: string
  readonly isActive: boolean | undefined
  readonly roles: readonly string[] | undefined
  /** Null: removes the address. */
  readonly email: string | null | undefined
  /** Removes the identity at the OpenID provider, and ends every session. */
  readonly unbind: boolean
  readonly actor: string
}

/** Tokens with outdated claims are invalid from now on. */
export async function updateOperator(
  { db, bus, life_s }: ManageParts,
  { name, isActive, roles, email, unbind, actor }: OperatorChanges,
): Promise<Managed | RefusedCommand> {
  return db.transaction(async (tx): Promise<Managed | RefusedCommand> => {
    await lockNamed(tx, turn)
    const operators = await allOperators(tx)
    const before = operators.find((one) => one.name === name)
    if (before === undefined) return unknownOperator(name)
    const fault = emailFault(before.kind, email ?? undefined)
    if (fault !== undefined) return fault
    const change = {
      isActive: isActive ?? before.isActive,
      roles: [...new Set(roles ?? before.roles)].toSorted(),
      email: email === undefined ? before.email : email,
    }
    const unknown = await unknownRole(tx, change.roles)
    if (unknown !== undefined) return unknown
    if (leavesNoAdministrator(operators, await allRoles(tx), name, change)) {
      return refuse('LAST_ADMINISTRATOR', 'no person would be left that may manage operators')
    }
    const mayTheSame =
      change.isActive === before.isActive && change.roles.join() === before.roles.join()
    const unbinds = unbind && before.oidcSubject !== null
    if (mayTheSame && change.email === before.email && !unbinds) {
      return { type: 'OPERATOR', operator: before }
    }
    const excess = await refuseGrant(bus, tx, {
      actor,
      action: 'UpdateOperator',
      subject: subject(name),
      // Who logs in next at the provider can be this operator, as after a reset of the secret.
      roles: unbinds ? [...before.roles, ...change.roles] : handedOut(before, change),
    })
    if (excess !== undefined) return excess
    const now = new Date()
    await saveOperator(tx, name, change)
    await saveRoles(tx, name, change.roles)
    if (unbinds) await unbindIdentity(tx, name)
    if (!change.isActive || unbinds) await endSessionsOf(tx, name, now)
    if (!mayTheSame || unbinds) await invalidateTokensOf(bus, tx, before, { now, life_s })
    const operator = await operatorNamed(tx, name)
    record(bus, tx, {
      actor,
      action: 'UpdateOperator',
      subject: subject(name),
      before: recordOf(before),
      after: recordOf(operator),
      confidential,
      at: now,
    })
    return { type: 'OPERATOR', operator }
  })
}

/** The roles that the operator gets; who is enabled again gets all of them. */
function handedOut(before: Operator, { isActive, roles }: Pick<Operator, 'isActive' | 'roles'>) {
  if (!isActive) return []
  return before.isActive ? roles.filter((role) => !before.roles.includes(role)) : roles
}

function emailFault(kind: Kind, email: string | undefined): RefusedCommand | undefined {
  if (email === undefined) return undefined
  if (kind === 'MACHINE') return refuse('INVALID', 'a program cannot have an e-mail address')
  const fault = mailAddressFault(email)
  return fault === undefined ? undefined : refuse('INVALID', `email ${fault}`)
}

/** Sets a new initial secret, for one that is forgotten or compromised. */
export async function resetSecret(
  { db, bus, secrets, initialPasswords, life_s }: ManageParts,
  { name, actor, approver }: Pick<Creation, 'name' | 'actor' | 'approver'>,
): Promise<Managed | RefusedCommand> {
  const [known] = await operatorsOf(db, [name])
  if (known === undefined) return unknownOperator(name)
  const made = await firstSecret(secrets, known.kind)
  if ('type' in made) return made
  const reset = await db.transaction(async (tx): Promise<Managed | RefusedCommand> => {
    await lockNamed(tx, turn)
    const now = new Date()
    const before = await operatorNamed(tx, name)
    // Who gets the secret of an operator can be this operator.
    const grant = { actor, approver, action: 'ResetOperatorSecret', subject: subject(name) }
    const excess = await refuseGrant(bus, tx, { ...grant, roles: before.roles })
    if (excess !== undefined) return excess
    await saveSecret(tx, name, made.hash, before.kind === 'PERSON')
    await saveSecretBy(tx, name, seenBy(actor, approver), now)
    await endSessionsOf(tx, name, now)
    await invalidateTokensOf(bus, tx, before, { now, life_s })
    const operator = await operatorNamed(tx, name)
    record(bus, tx, {
      actor,
      action: 'ResetOperatorSecret',
      subject: subject(name),
      before: recordOf(before),
      after: recordOf(operator),
      at: now,
    })
    return { type: 'OPERATOR', operator, secret: made.secret }
  })
  if (reset.type === 'OPERATOR') await initialPasswords.changed(name)
  return reset
}

function seenBy(actor: string, approver: string | undefined): readonly string[] {
  return approver === undefined ? [actor] : [actor, approver]
}

/** Requires the old password; wrong ones count as failed log-ins. */
export async function changePassword(
  parts: ManageParts,
  name: string,
  old: string,
  password: string,
): Promise<RefusedCommand | undefined> {
  const { db, bus, secrets, initialPasswords, life_s } = parts
  const proven = await prove(parts, name, old)
  if (proven !== undefined) {
    await recordFailed(parts, name, proven)
    return proven
  }
  const fault = passwordFault(name, password, old)
  if (fault !== undefined) return fault
  if (await isGuessable(name, password)) {
    return refuse('INVALID', 'the password is one that guessers try')
  }
  const hash = await secrets.hashPassword(password)
  if (hash === undefined) return busy
  await db.transaction(async (tx) => {
    await lockNamed(tx, turn)
    const now = new Date()
    const before = await operatorNamed(tx, name)
    await saveSecret(tx, name, hash, false)
    await endSessionsOf(tx, name, now)
    await invalidateTokensOf(bus, tx, before, { now, life_s })
    record(bus, tx, {
      actor: name,
      action: 'ChangePassword',
      subject: subject(name),
      before: recordOf(before),
      after: recordOf(await operatorNamed(tx, name)),
      at: now,
    })
  })
  await initialPasswords.changed(name)
  return undefined
}

/** Audits an attempt to change a password without knowing it. */
async function recordFailed(
  { db, bus }: ManageParts,
  name: string,
  { reason }: RefusedCommand,
): Promise<void> {
  if (reason !== 'INVALID' && reason !== 'LOCKED') return
  const entry = { actor: name, action: 'ChangePassword', subject: subject(name) }
  await db.transaction((tx) => {
    record(bus, tx, { ...entry, before: null, after: null, at: new Date(), successful: false })
    return Promise.resolve()
  })
}

async function prove(
  { db, secrets, attempts_max, lock_s }: ManageParts,
  name: string,
  old: string,
): Promise<RefusedCommand | undefined> {
  const [known] = await operatorsOf(db, [name])
  if (known === undefined) return unknownOperator(name)
  if (known.kind === 'MACHINE') return refuse('INVALID', 'a program has a secret: reset it')
  const now = new Date()
  const forgottenFrom = new Date(now.getTime() - lock_s * 1_000)
  const attempt = { name, address: 'change of password', now, forgottenFrom, attempts_max }
  const hash = await claimAttempt(db, attempt)
  if (hash === undefined) return refuse('LOCKED', 'too many wrong passwords: wait')
  const look = await secrets.check(old, hash)
  if (look === 'BUSY') return busy
  // Fails if the password has changed concurrently: then the given one is no longer the old one.
  const isRight = look === 'RIGHT' && (await secretHashOf(db, name)) === hash
  return isRight ? undefined : refuse('INVALID', 'secret is not the password')
}

const busy = refuse('BUSY', 'too many log-ins at once')

async function firstSecret(
  secrets: Secrets,
  kind: Kind,
): Promise<RefusedCommand | { readonly secret: string; readonly hash: string }> {
  const secret = newSecret()
  const hash = kind === 'MACHINE' ? hashOfSecret(secret) : await secrets.hashPassword(secret)
  return hash === undefined ? busy : { secret, hash }
}

async function unknownRole(
  tx: Transaction,
  roles: readonly string[],
): Promise<RefusedCommand | undefined> {
  const known = new Set((await allRoles(tx)).map(({ id }) => id))
  const unknown = roles.find((role) => !known.has(role))
  return unknown === undefined ? undefined : refuse('ROLE_UNKNOWN', `there is no role ${unknown}`)
}

async function operatorNamed(tx: Transaction, name: string): Promise<Operator> {
  const [operator] = await operatorsOf(tx, [name])
  if (operator === undefined) throw new Error(`operator ${name} is gone`)
  return operator
}

function subject(name: string): string {
  return `operators/${name}`
}

function unknownOperator(name: string): RefusedCommand {
  return refuse('OPERATOR_UNKNOWN', `there is no operator ${name}`)
}
