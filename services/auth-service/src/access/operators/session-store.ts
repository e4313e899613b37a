/** Storage of sessions and invalidated tokens. */
import type { OpenSessionFactor } from '@causeway/protos'
import { statement, type Queries, type Transaction } from '@causeway/postgres'

export interface Session {
  readonly id: string
  readonly operator: string
  readonly refreshHash: Buffer | null
  readonly expiresAt: Date
}

export interface NewSession extends Session {
  readonly factor: OpenSessionFactor
  /** Empty where it is not known. */
  readonly address: string | null
}

const insertRow = statement(`
  insert into sessions
    (id, operator, refresh_hash, created_at, expires_at, used_at, factor, address)
  values ($1, $2, $3, $4, $5, $4, $6, $7)`)

export async function insertSession(
  tx: Transaction,
  session: NewSession,
  now: Date,
): Promise<void> {
  const { id, operator, refreshHash, expiresAt, factor, address } = session
  await tx.query(insertRow, [id, operator, refreshHash, now, expiresAt, factor, address])
}

/** A session in a list. */
export interface ShownSession {
  readonly id: string
  readonly factor: OpenSessionFactor | null
  readonly address: string | null
  readonly createdAt: Date
  readonly usedAt: Date
  readonly expiresAt: Date
}

const selectOpen = statement(`
  select id, factor, address, created_at as "createdAt", expires_at as "expiresAt",
    coalesce(used_at, created_at) as "usedAt"
  from sessions
  where operator = $1 and ended_at is null and expires_at > $2
    and coalesce(used_at, created_at) > $3
  order by created_at desc, id limit 1000`)

/** @param idleFrom those that were not used since have ended */
export async function openSessionsOf(
  db: Queries,
  operator: string,
  now: Date,
  idleFrom: Date,
): Promise<readonly ShownSession[]> {
  return db.query<ShownSession>(selectOpen, [operator, now, idleFrom])
}

const endGiven = statement(`
  update sessions set ended_at = $3
  where operator = $1 and ended_at is null and ($2::text is null or id = $2) returning id`)

/** @returns the ids of those that ended now */
export async function endSessionOf(
  tx: Transaction,
  operator: string,
  id: string | undefined,
  now: Date,
): Promise<readonly string[]> {
  return idsOf(await tx.query<{ readonly id: string }>(endGiven, [operator, id ?? null, now]))
}

const endExcess = statement(`
  update sessions set ended_at = $3
  where id in (
    select id from sessions where operator = $1 and ended_at is null
    order by created_at desc, id offset $2)
  returning id`)

/** @returns the ids of those that ended now: the oldest ones beyond the bound */
export async function endExcessSessions(
  tx: Transaction,
  operator: string,
  sessions_max: number,
  now: Date,
): Promise<readonly string[]> {
  return idsOf(await tx.query<{ readonly id: string }>(endExcess, [operator, sessions_max, now]))
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id)
}

interface LockedSession extends Session {
  readonly isCurrent: boolean
  readonly factor: string | null
}

const lockByToken = statement(`
  select id, operator, refresh_hash as "refreshHash", expires_at as "expiresAt",
    refresh_hash = $1 as "isCurrent", factor
  from sessions
  where (refresh_hash = $1 or used_hash = $1) and ended_at is null and expires_at > $2
    and coalesce(used_at, created_at) > $3
  for update`)

/**
 * Finds a session by its current or previous refresh token and locks it until the end of the
 * transaction.
 * @param idleFrom one that was not used since has ended
 */
export async function lockSession(
  tx: Transaction,
  refreshHash: Buffer,
  now: Date,
  idleFrom: Date,
): Promise<LockedSession | undefined> {
  const [row] = await tx.query<LockedSession>(lockByToken, [refreshHash, now, idleFrom])
  return row
}

const replaceToken = statement(`
  update sessions set used_hash = refresh_hash, refresh_hash = $2, used_at = $3 where id = $1`)

export async function saveRefresh(
  tx: Transaction,
  id: string,
  refreshHash: Buffer,
  now: Date,
): Promise<void> {
  await tx.query(replaceToken, [id, refreshHash, now])
}

const endOne = statement(`
  update sessions set ended_at = $2 where id = $1 and ended_at is null returning id`)

/** False if it had ended before. */
export async function endSession(tx: Transaction, id: string, now: Date): Promise<boolean> {
  return (await tx.query(endOne, [id, now])).length > 0
}

const endAll = statement(`
  update sessions set ended_at = $2 where operator = $1 and ended_at is null`)

export async function endSessionsOf(tx: Transaction, operator: string, now: Date): Promise<void> {
  await tx.query(endAll, [operator, now])
}

const insertInvalid = statement(`
  insert into invalidated_tokens (token_id, versions_below, expiry) values ($1, $2, $3)
  on conflict (token_id) do update
    set versions_below = greatest(invalidated_tokens.versions_below, excluded.versions_below),
        expiry = greatest(invalidated_tokens.expiry, excluded.expiry)`)

export interface Invalidated {
  /** The id of a session, or the subject of an operator. */
  readonly tokenId: string
  /** For an operator: lower versions are invalid; 0 for a session. */
  readonly versionsBelow: number
  readonly expiry: Date
}

export async function insertInvalidated(tx: Transaction, token: Invalidated): Promise<void> {
  await tx.query(insertInvalid, [token.tokenId, token.versionsBelow, token.expiry])
}

const selectInvalid = statement(`
  select token_id as "tokenId", versions_below as "versionsBelow", expiry
  from invalidated_tokens where expiry > $1 order by token_id`)

export async function invalidatedTokens(db: Queries, now: Date): Promise<readonly Invalidated[]> {
  return db.query<Invalidated>(selectInvalid, [now])
}

const deleteInvalid = statement(`delete from invalidated_tokens where expiry <= $1`)
const deleteOld = statement(`delete from sessions where expires_at <= $1`)

export async function deleteExpired(db: Queries, now: Date): Promise<void> {
  await db.query(deleteInvalid, [now])
  await db.query(deleteOld, [now])
}
