/** Storage of sessions and invalidated tokens. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'

export interface Session {
  readonly id: string
  readonly operator: string
  readonly refreshHash: Buffer | null
  readonly expiresAt: Date
}

const insertRow = statement(`
  insert into sessions (id, operator, refresh_hash, created_at, expires_at)
  values ($1, $2, $3, $4, $5)`)

export async function insertSession(tx: Transaction, session: Session, now: Date): Promise<void> {
  const { id, operator, refreshHash, expiresAt } = session
  await tx.query(insertRow, [id, operator, refreshHash, now, expiresAt])
}

const lockByToken = statement(`
  select id, operator, refresh_hash as "refreshHash", expires_at as "expiresAt",
    refresh_hash = $1 as "isCurrent"
  from sessions
  where (refresh_hash = $1 or used_hash = $1) and ended_at is null and expires_at > $2
  for update`)

/**
 * Finds a session by its current or previous refresh token and locks it until the end of the
 * transaction.
 */
export async function lockSession(
  tx: Transaction,
  refreshHash: Buffer,
  now: Date,
): Promise<(Session & { readonly isCurrent: boolean }) | undefined> {
  const [row] = await tx.query<Session & { readonly isCurrent: boolean }>(lockByToken, [
    refreshHash,
    now,
  ])
  return row
}

const replaceToken = statement(`
  update sessions set used_hash = refresh_hash, refresh_hash = $2 where id = $1`)

export async function saveRefresh(tx: Transaction, id: string, refreshHash: Buffer): Promise<void> {
  await tx.query(replaceToken, [id, refreshHash])
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
