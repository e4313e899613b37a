/**
 * Storage of wrong passwords. They count by address: after some from one address, or many from addresses
 * without a right one, further ones are refused; an address with a right one has its own count alone.
 */
import { statement, type Queries, type Transaction } from '@causeway/postgres'

export interface PasswordAttempt {
  readonly name: string
  /** Empty where it is not known. */
  readonly address: string
  readonly now: Date
  /** Earlier ones do not count. */
  readonly forgottenFrom: Date
  readonly attempts_max: number
}

const proven_ms = 30 * 86_400_000
/** So many times the bound of one address is the bound of all unproven ones together. */
const addresses_max = 10

const countAttempt = statement(`
  with known as (
    select name, kind, secret_hash from operators where name = $1
  ), here as (
    select proven_at from log_in_attempts where operator = $1 and address = $2
  ), strangers as (
    select coalesce(sum(attempts), 0) as attempts from log_in_attempts
    where operator = $1 and since > $3 and (proven_at is null or proven_at <= $6)
  ), counted as (
    insert into log_in_attempts as attempt (operator, address, attempts, since)
    select known.name, $2, 1, $4 from known, strangers
    where known.kind = 'PERSON'
      and (strangers.attempts < $5::int * ${addresses_max}
        or exists (select from here where proven_at > $6))
    on conflict (operator, address) do update set
      attempts = case when attempt.since > $3 then attempt.attempts + 1 else 1 end,
      since = case when attempt.since > $3 and attempt.attempts > 0 then attempt.since else $4 end
    where attempt.attempts < $5::int or attempt.since <= $3
    returning operator
  )
  select secret_hash as "secretHash" from known
  where kind = 'MACHINE' or exists (select from counted)`)

/**
 * Counted before the secret is checked, so that concurrent attempts count like consecutive ones.
 * Undefined for an unknown name, and where too many were wrong.
 */
export async function claimAttempt(
  db: Queries,
  { name, address, now, forgottenFrom, attempts_max }: PasswordAttempt,
): Promise<string | undefined> {
  const provenFrom = new Date(now.getTime() - proven_ms)
  const values = [name, address, forgottenFrom, now, attempts_max, provenFrom]
  const [row] = await db.query<{ readonly secretHash: string }>(countAttempt, values)
  return row?.secretHash
}

const prove = statement(`
  update log_in_attempts set attempts = 0, proven_at = $3 where operator = $1 and address = $2`)

/** After a right password. */
export async function forgetAttempts(
  db: Queries,
  { name, address, now }: Pick<PasswordAttempt, 'name' | 'address' | 'now'>,
): Promise<void> {
  await db.query(prove, [name, address, now])
}

const reset = statement(`update log_in_attempts set attempts = 0 where operator = $1`)

/** With a new password. */
export async function resetAttempts(tx: Transaction, name: string): Promise<void> {
  await tx.query(reset, [name])
}

const deleteRows = statement(`
  delete from log_in_attempts where since <= $1 and (proven_at is null or proven_at <= $2)`)

/** @param forgottenFrom attempts before do not count */
export async function deleteAttempts(db: Queries, now: Date, forgottenFrom: Date): Promise<void> {
  await db.query(deleteRows, [forgottenFrom, new Date(now.getTime() - proven_ms)])
}
