/** Log-in, refresh and log-out. */
import { randomUUID } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import type { Database, Transaction } from '@causeway/postgres'
import { refuse, type Refused } from '../domain/refusal.ts'
import { createChallenge, type FidoParts, type MadeChallenge } from '../fido/challenges.ts'
import { credentialsOf } from '../fido/credential-store.ts'
import { record } from '../record.ts'
import { invalidate } from './announce.ts'
import { mustHaveKey, type KeyRule } from './domain/key-rule.ts'
import { isOperatorName, type Operator } from './domain/operator.ts'
import { allRoles } from './role-store.ts'
import { newSecret, sha256, type Secrets } from './secrets.ts'
import {
  endSession,
  insertSession,
  lockSession,
  saveRefresh,
  invalidatedTokens,
} from './session-store.ts'
import { claimAttempt, forgetAttempts, operatorsOf, saveLogIn } from './store.ts'
import { issueToken, readToken, type ReadToken, type TokenParts } from './tokens.ts'

export interface SessionParts extends TokenParts {
  readonly db: Database
  readonly bus: EventBus
  readonly secrets: Secrets
  readonly fido: FidoParts
  readonly keyRule: KeyRule
  readonly sessionLife_s: number
  readonly attempts_max: number
  /** How long wrong attempts count, which is also how long a lock lasts. */
  readonly lock_s: number
}

export interface OpenSession {
  readonly type: 'SESSION'
  readonly operator: Operator
  readonly accessToken: string
  /** Empty for a program. */
  readonly refreshToken: string
  /** The token permits only the registration of a security key. */
  readonly mustRegisterKey: boolean
  readonly expiresIn_s: number
}

/** The log-in goes on with a signature of a security key. */
export interface KeyStep {
  readonly type: 'KEY'
  readonly transactionId: string
  readonly challenge: MadeChallenge
}

/** What the operator has proven: by a password or secret, a certificate, or a security key. */
export type Factor = 'PASSWORD' | 'CERTIFICATE' | 'KEY' | 'SECOND_FACTOR'

const wrong = refuse('SECRET_WRONG', 'unknown operator or wrong password')

export async function logIn(
  parts: SessionParts,
  name: string,
  secret: string,
  now: Date,
): Promise<OpenSession | KeyStep | Refused> {
  const { db, secrets, attempts_max, lock_s } = parts
  if (!isOperatorName(name)) return wrong
  const forgottenFrom = new Date(now.getTime() - lock_s * 1_000)
  const hash = await claimAttempt(db, name, { now, forgottenFrom }, attempts_max)
  const [operator] = await operatorsOf(db, [name])
  if (hash === undefined && operator !== undefined) {
    await db.transaction((tx) => recordLogIn(parts, tx, operator, now, false))
    return refuse('LOCKED', 'too many wrong passwords: wait, or have it reset')
  }
  const look = await secrets.check(secret, hash)
  if (look === 'BUSY') return refuse('BUSY', 'too many log-ins at once')
  if (operator === undefined) return wrong
  if (look === 'WRONG' || !operator.isActive) {
    await db.transaction((tx) => recordLogIn(parts, tx, operator, now, false))
    return wrong
  }
  return admit(parts, operator, 'PASSWORD', now)
}

/** After a first factor: asks for the key of an operator who has one, else opens a session. */
export async function admit(
  parts: SessionParts,
  operator: Operator,
  factor: Factor,
  now: Date,
): Promise<OpenSession | KeyStep | Refused> {
  const { db, bus } = parts
  const { name } = operator
  if (await hasKey(parts, operator)) {
    await db.transaction(async (tx) => {
      await forgetAttempts(tx, name)
      const entry = { actor: name, action: 'LogInKeyRequested', subject: `operators/${name}` }
      record(bus, tx, { ...entry, before: null, after: null, at: now, labels: { factor } })
    })
    return beginKeyLogIn(parts, name, now)
  }
  const started = await db.transaction((tx) => startSession(parts, tx, operator, factor, now))
  return tokensOf(parts, started, now)
}

async function hasKey({ db }: SessionParts, { kind, name }: Operator): Promise<boolean> {
  return kind === 'PERSON' && (await credentialsOf(db, 'OPERATOR', name)).length > 0
}

/** @param operator null: any whose key verifies its user */
export async function beginKeyLogIn(
  { fido }: SessionParts,
  operator: string | null,
  now: Date,
): Promise<KeyStep | Refused> {
  const transactionId = randomUUID()
  const wanted = { realm: 'OPERATOR', purpose: 'LOG_IN', userId: operator, transactionId } as const
  const challenge = await createChallenge(fido, wanted, now)
  return challenge.type === 'REFUSE' ? challenge : { type: 'KEY', transactionId, challenge }
}

export interface StartedSession {
  readonly operator: Operator
  readonly id: string
  readonly refreshToken: string
}

export async function startSession(
  parts: SessionParts,
  tx: Transaction,
  operator: Operator,
  factor: Factor,
  now: Date,
): Promise<StartedSession> {
  const { row, refreshToken } = newSession(parts, operator, now)
  await saveLogIn(tx, operator.name, now)
  await insertSession(tx, row, now)
  await recordLogIn(parts, tx, operator, now, true, factor)
  return { operator, id: row.id, refreshToken }
}

/** The tokens of a session that is stored. */
export async function tokensOf(
  parts: SessionParts,
  { operator, id, refreshToken }: StartedSession,
  now: Date,
): Promise<OpenSession> {
  const mustRegisterKey = await lacksKey(parts, operator)
  const accessToken = await issueToken(parts, operator, { sessionId: id, mustRegisterKey }, now)
  const expiresIn_s = parts.life_s
  return { type: 'SESSION', operator, accessToken, refreshToken, mustRegisterKey, expiresIn_s }
}

/** Whether the rule requires a key of the operator, who has none. */
async function lacksKey(parts: SessionParts, operator: Operator): Promise<boolean> {
  const { db, keyRule } = parts
  if (keyRule === 'off' || operator.kind === 'MACHINE') return false
  return mustHaveKey(operator, await allRoles(db), keyRule) && !(await hasKey(parts, operator))
}

function newSession({ sessionLife_s }: SessionParts, operator: Operator, now: Date) {
  const refreshToken = operator.kind === 'PERSON' ? newSecret() : ''
  const row = {
    id: randomUUID(),
    operator: operator.name,
    refreshHash: refreshToken === '' ? null : sha256(refreshToken),
    expiresAt: new Date(now.getTime() + sessionLife_s * 1_000),
  }
  return { row, refreshToken }
}

/** Audits the attempt; `after` shows whether it succeeded. */
function recordLogIn(
  { bus }: SessionParts,
  tx: Transaction,
  { name }: Operator,
  at: Date,
  successful: boolean,
  factor: Factor = 'PASSWORD',
): Promise<void> {
  const subject = `operators/${name}`
  record(bus, tx, {
    actor: name,
    action: 'LogIn',
    subject,
    before: null,
    after: null,
    at,
    successful,
    labels: { factor },
  })
  return Promise.resolve()
}

/**
 * Each refresh replaces the token. A reused token means that it was stolen, so it ends the session.
 */
export async function refreshSession(
  parts: SessionParts,
  refreshToken: string,
  now: Date,
): Promise<OpenSession | Refused> {
  const next = newSecret()
  const operator = await parts.db.transaction(async (tx) => {
    const session = await lockSession(tx, sha256(refreshToken), now)
    if (session === undefined) return undefined
    const [found] = await operatorsOf(tx, [session.operator])
    if (!session.isCurrent || found?.isActive !== true) {
      await close(parts, tx, session.id, session.operator, now)
      return undefined
    }
    await saveRefresh(tx, session.id, sha256(next))
    return { ...found, sessionId: session.id }
  })
  if (operator === undefined) return refuse('TOKEN_INVALID', 'the session has ended: log in')
  return tokensOf(parts, { operator, id: operator.sessionId, refreshToken: next }, now)
}

/** Ending an ended session is no change. */
export async function logOut(
  parts: SessionParts,
  accessToken: string,
  now: Date,
): Promise<Refused | undefined> {
  const token = await readToken(parts, accessToken, now)
  if (token === undefined) return refuse('TOKEN_INVALID', 'not a token of this hub')
  await parts.db.transaction((tx) => close(parts, tx, token.sessionId, token.name, now))
  return undefined
}

async function close(
  { bus, life_s }: SessionParts,
  tx: Transaction,
  sessionId: string,
  name: string,
  now: Date,
): Promise<void> {
  if (!(await endSession(tx, sessionId, now))) return
  const expiry = new Date(now.getTime() + life_s * 1_000)
  await invalidate(bus, tx, { tokenId: sessionId, versionsBelow: 0, expiry })
  const subject = `operators/${name}`
  record(bus, tx, { actor: name, action: 'LogOut', subject, before: null, after: null, at: now })
}

/** Undefined for an invalid token. */
export async function checkToken(
  parts: SessionParts,
  accessToken: string,
  now: Date,
): Promise<ReadToken | undefined> {
  const token = await readToken(parts, accessToken, now)
  if (token === undefined) return undefined
  const invalidated = await invalidatedTokens(parts.db, now)
  const isInvalid = invalidated.some(
    ({ tokenId, versionsBelow }) =>
      tokenId === token.sessionId || (tokenId === token.sub && token.version < versionsBelow),
  )
  return isInvalid ? undefined : token
}
