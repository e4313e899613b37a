/** Log-in, refresh and log-out. */
import { randomUUID } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import type { Database, Transaction } from '@causeway/postgres'
import { refuse, type Refused } from '../domain/refusal.ts'
import { record } from '../record.ts'
import { invalidate } from './announce.ts'
import { isOperatorName, type Operator } from './domain/operator.ts'
import { newSecret, sha256, type Secrets } from './secrets.ts'
import {
  endSession,
  insertSession,
  lockSession,
  saveRefresh,
  invalidatedTokens,
} from './session-store.ts'
import { claimAttempt, operatorsOf, saveLogIn } from './store.ts'
import { issueToken, readToken, type ReadToken, type TokenParts } from './tokens.ts'

export interface SessionParts extends TokenParts {
  readonly db: Database
  readonly bus: EventBus
  readonly secrets: Secrets
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
}

const wrong = refuse('SECRET_WRONG', 'unknown operator or wrong password')

export async function logIn(
  parts: SessionParts,
  name: string,
  secret: string,
  now: Date,
): Promise<OpenSession | Refused> {
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
  const session = newSession(parts, operator, now)
  await db.transaction(async (tx) => {
    await saveLogIn(tx, name, now)
    await insertSession(tx, session.row, now)
    await recordLogIn(parts, tx, operator, now, true)
  })
  const accessToken = await issueToken(parts, operator, session.row.id, now)
  return { type: 'SESSION', operator, accessToken, refreshToken: session.refreshToken }
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
  const accessToken = await issueToken(parts, operator, operator.sessionId, now)
  return { type: 'SESSION', operator, accessToken, refreshToken: next }
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
