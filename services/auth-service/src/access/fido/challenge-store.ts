/** Storage of challenges. One statement claims the use of a challenge, so that it is used once. */
import { statement, type Queries } from '@causeway/postgres'
import type { Challenge, UsedChallenge } from './domain/challenge.ts'

const columns = `challenge, realm, purpose, user_id as "userId", transaction_id as "transactionId",
  transaction_hash as "transactionHash", expires_at as "expiresAt"`

const deleteExpired = statement(`
  delete from challenges where challenge in (
    select challenge from challenges where expires_at < $1 order by expires_at limit $2
    for update skip locked)`)

const insertRow = statement(`
  insert into challenges
    (challenge, realm, purpose, user_id, transaction_id, transaction_hash, expires_at)
  select $1, $2, $3, $4, $5, $6, $7
  where case when $4::text is null
    then (select count(*) from (
      select 1 from challenges where user_id is null and used_at is null and expires_at > $8
      limit $9) as open) < $9
    else (select count(*) from (
      select 1 from challenges
      where user_id = $4 and realm = $2 and used_at is null and expires_at > $8
      limit $10) as open) < $10
    end
  returning challenge`)

/** Open challenges without a user, which callers without a log-in get, and of one user. */
const anonymous_max = 10_000
const of_user_max = 100
const deleted_max = 100
/** A used challenge is recognized as such for some time after its end. */
const recognized_ms = 600_000

/** False if too many are open, of the user or without one. Old challenges are deleted. */
export async function insertChallenge(
  db: Queries,
  challenge: Challenge,
  now: Date,
): Promise<boolean> {
  const { realm, purpose, userId, transactionId, transactionHash, expiresAt } = challenge
  await db.query(deleteExpired, [new Date(now.getTime() - recognized_ms), deleted_max])
  const inserted = await db.query(insertRow, [
    challenge.challenge,
    realm,
    purpose,
    userId,
    transactionId,
    transactionHash,
    expiresAt,
    now,
    anonymous_max,
    of_user_max,
  ])
  return inserted.length > 0
}

const claimUse = statement(`
  update challenges set used_at = $2 where challenge = $1 and used_at is null
  returning ${columns}`)

const selectOne = statement(`select ${columns} from challenges where challenge = $1`)

/**
 * Uses the challenge also for an attempt that fails: it cannot be repeated with the same one.
 * Undefined if it is unknown.
 */
export async function claimChallenge(
  db: Queries,
  challenge: string,
  now: Date,
): Promise<UsedChallenge | undefined> {
  const [claimed] = await db.query<Challenge>(claimUse, [challenge, now])
  if (claimed !== undefined) return { ...claimed, isFirstUse: true }
  const [known] = await db.query<Challenge>(selectOne, [challenge])
  return known === undefined ? undefined : { ...known, isFirstUse: false }
}

const updateAuthorized = statement(`
  update challenges set authorized_at = $2, expires_at = $3 where challenge = $1`)

/** @param until the end of the authorization */
export async function saveAuthorization(
  db: Queries,
  challenge: string,
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<void> {
  await db.query(updateAuthorized, [challenge, now, until])
}

const spendOne = statement(`
  update challenges set spent_at = $4 where challenge = (
    select challenge from challenges
    where realm = 'OPERATOR' and purpose = 'AUTHORIZE' and user_id = $1 and transaction_id = $2
      and transaction_hash = $3 and authorized_at is not null and spent_at is null
      and expires_at > $4
    order by authorized_at limit 1 for update skip locked)
  returning challenge`)

/** False if the operator has not authorized the transaction, or the authorization is used or over. */
export async function spendAuthorization(
  db: Queries,
  operator: string,
  transaction: { readonly id: string; readonly hash: string },
  now: Date,
): Promise<boolean> {
  const values = [operator, transaction.id, transaction.hash, now]
  return (await db.query(spendOne, values)).length > 0
}
