/** Log-in, refresh and log-out. */
import { randomUUID } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import type { Database, Transaction } from '@causeway/postgres'
import { present, type OpenSessionFactor } from '@causeway/protos'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { createChallenge, type FidoParts, type MadeChallenge } from '../fido/challenges.ts'
import { credentialsOf } from '../fido/credential-store.ts'
import { record } from '../../record.ts'
import { invalidate } from './announce.ts'
import { claimAttempt, forgetAttempts } from './attempt-store.ts'
import { mustHaveKey, type KeyRule } from './domain/key-rule.ts'
import { isOperatorName, type Operator } from './domain/operator.ts'
import { allRoles } from './role-store.ts'
import { newSecret, sha256, type Secrets } from './secrets.ts'
import { boundSessions } from './session-list.ts'
import {
  endSession,
  insertSession,
  lockSession,
  saveRefresh,
  invalidatedTokens,
} from './session-store.ts'
import { endSetup } from './setup-end.ts'
import { operatorsOf, saveLogIn } from './store.ts'
import { issueToken, readToken, type ReadToken, type TokenParts } from './tokens.ts'

export interface SessionParts extends TokenParts {
  readonly db: Database
  readonly bus: EventBus
  readonly secrets: Secrets
  readonly fido: FidoParts
  readonly keyRule: KeyRule
  readonly sessionLife_s: number
  /** A session that is not refreshed for so long has ended. */
  readonly sessionIdle_s: number
  /** Of one person, at the same time. */
  readonly sessions_max: number
  readonly attempts_max: number
  /** How long wrong attempts count, which is also how long a lock lasts. */
  readonly lock_s: number
  /** Whether one more log-in with an unknown name is audited. */
  readonly mayRecordUnknown: (now: Date) => boolean
}

export interface OpenSession {
  readonly type: 'SESSION'
  readonly operator: Operator
  readonly accessToken: string
  /** Undefined for a program. */
  readonly refreshToken: string | undefined
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
export type Factor = OpenSessionFactor

const wrong = refuse('SECRET_WRONG', 'unknown operator or wrong password')

export interface PasswordLogIn {
  readonly name: string
  readonly secret: string
  /** The network of the client; undefined where it is not known. */
  readonly address: string | undefined
}

/** A client that guesses learns neither whether a name exists nor whether it is locked. */
export async function logIn(
  parts: SessionParts,
  { name, secret, address }: PasswordLogIn,
  now: Date,
): Promise<OpenSession | KeyStep | RefusedCommand> {
  const { db, secrets, attempts_max, lock_s } = parts
  if (!isOperatorName(name)) return wrong
  await endSetup(parts, now)
  const forgottenFrom = new Date(now.getTime() - lock_s * 1_000)
  const attempt = { name, address: address ?? '', now, forgottenFrom, attempts_max }
  const hash = await claimAttempt(db, attempt)
  const [operator] = await operatorsOf(db, [name])
  const look = await secrets.check(secret, hash)
  if (look === 'BUSY') return refuse('BUSY', 'too many log-ins at once')
  if (operator === undefined) {
    if (parts.mayRecordUnknown(now)) await recordUnknown(parts, address, now)
    return wrong
  }
  const fault = hash === undefined ? 'too many wrong passwords' : faultOf(look, operator)
  if (fault !== undefined) {
    await db.transaction((tx) => recordLogIn(parts, tx, operator, now, { fault, address }))
    return wrong
  }
  await forgetAttempts(db, attempt)
  return admit(parts, operator, 'PASSWORD', now, address)
}

function faultOf(look: 'RIGHT' | 'WRONG', { isActive }: Operator): string | undefined {
  if (look === 'WRONG') return 'wrong password'
  return isActive ? undefined : 'disabled'
}

/** After a first factor: asks for the key of an operator who has one, else opens a session. */
export async function admit(
  parts: SessionParts,
  operator: Operator,
  factor: Factor,
  now: Date,
  address?: string,
): Promise<OpenSession | KeyStep | RefusedCommand> {
  const { db, bus } = parts
  const { name } = operator
  if (await hasKey(parts, operator)) {
    await db.transaction((tx) => {
      const entry = { actor: name, action: 'LogInKeyRequested', subject: `operators/${name}` }
      const labels = labelsOf({ factor, address })
      record(bus, tx, { ...entry, before: null, after: null, at: now, labels })
      return Promise.resolve()
    })
    return beginKeyLogIn(parts, name, now)
  }
  const started = await db.transaction((tx) =>
    startSession(parts, tx, operator, { factor, address }, now),
  )
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
): Promise<KeyStep | RefusedCommand> {
  const transactionId = randomUUID()
  const wanted = { realm: 'OPERATOR', purpose: 'LOG_IN', userId: operator, transactionId } as const
  const challenge = await createChallenge(fido, wanted, now)
  return challenge.type === 'REFUSE' ? challenge : { type: 'KEY', transactionId, challenge }
}

export interface StartedSession {
  readonly operator: Operator
  readonly id: string
  readonly refreshToken: string | undefined
}

export async function startSession(
  parts: SessionParts,
  tx: Transaction,
  operator: Operator,
  from: Origin,
  now: Date,
): Promise<StartedSession> {
  const { row, refreshToken } = newSession(parts, operator, now)
  await saveLogIn(tx, operator.name, now)
  const { factor = 'PASSWORD', address = null } = from
  await insertSession(tx, { ...row, factor, address }, now)
  const { name, kind } = operator
  if (kind === 'PERSON') await boundSessions(parts, tx, name, parts.sessions_max, now)
  await recordLogIn(parts, tx, operator, now, from)
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
  const refreshToken = operator.kind === 'PERSON' ? newSecret() : undefined
  const row = {
    id: randomUUID(),
    operator: operator.name,
    refreshHash: refreshToken === undefined ? null : sha256(refreshToken),
    expiresAt: new Date(now.getTime() + sessionLife_s * 1_000),
  }
  return { row, refreshToken }
}

/** How and from where an operator logs in; `fault`: why not. */
interface Origin {
  readonly factor?: Factor
  readonly address?: string | undefined
  readonly fault?: string
}

function recordLogIn(
  { bus }: SessionParts,
  tx: Transaction,
  { name }: Operator,
  at: Date,
  { factor = 'PASSWORD', ...origin }: Origin,
): Promise<void> {
  record(bus, tx, {
    actor: name,
    action: 'LogIn',
    subject: `operators/${name}`,
    before: null,
    after: null,
    at,
    successful: origin.fault === undefined,
    labels: labelsOf({ factor, ...origin }),
  })
  return Promise.resolve()
}

/** The name is not recorded: people type passwords there. */
async function recordUnknown(
  { db, bus }: SessionParts,
  address: string | undefined,
  at: Date,
): Promise<void> {
  const labels = labelsOf({ fault: 'unknown operator', address })
  const entry = { actor: 'unknown', action: 'LogIn', subject: 'operators', at, labels }
  await db.transaction((tx) => {
    record(bus, tx, { ...entry, before: null, after: null, successful: false })
    return Promise.resolve()
  })
}

/** At most so many a minute, so that guessing names does not fill the audit log. */
export function openUnknownRecords(perMinute_max = 10): (now: Date) => boolean {
  let minute = 0
  let count = 0
  return (now) => {
    const current = Math.floor(now.getTime() / 60_000)
    if (current !== minute) count = 0
    minute = current
    count += 1
    return count <= perMinute_max
  }
}

/** Without those that are not known. */
function labelsOf(
  labels: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return present(labels) as Readonly<Record<string, string>>
}

/**
 * Each refresh replaces the token. A reused token means that it was stolen, so it ends the session.
 */
export async function refreshSession(
  parts: SessionParts,
  refreshToken: string,
  now: Date,
): Promise<OpenSession | RefusedCommand> {
  const next = newSecret()
  const operator = await parts.db.transaction(async (tx) => {
    const idleFrom = new Date(now.getTime() - parts.sessionIdle_s * 1_000)
    const session = await lockSession(tx, sha256(refreshToken), now, idleFrom)
    if (session === undefined) return undefined
    const [found] = await operatorsOf(tx, [session.operator])
    if (!session.isCurrent || found?.isActive !== true) {
      await close(parts, tx, session.id, session.operator, now)
      return undefined
    }
    await saveRefresh(tx, session.id, sha256(next), now)
    // An operator who logs in elsewhere has no password to change.
    const mustChange = found.mustChange && session.factor !== 'OIDC'
    return { ...found, mustChange, sessionId: session.id }
  })
  if (operator === undefined) return refuse('TOKEN_INVALID', 'the session has ended: log in')
  return tokensOf(parts, { operator, id: operator.sessionId, refreshToken: next }, now)
}

/** Ending an ended session is no change. */
export async function logOut(
  parts: SessionParts,
  accessToken: string,
  now: Date,
): Promise<RefusedCommand | undefined> {
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
