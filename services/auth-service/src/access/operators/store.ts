/** Storage of operators and their log-ins. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import { resetAttempts } from './attempt-store.ts'
import type { Operator } from './domain/operator.ts'

const columns = `name, kind, is_active as "isActive", must_change as "mustChange",
  email, array(select role from operator_roles where operator = name order by role) as roles,
  version, coalesce(wrong.attempts, 0) as attempts,
  coalesce(wrong.since, created_at) as "attemptsSince", last_log_in_at as "lastLogInAt",
  created_at as "createdAt", created_by as "createdBy", ends_at as "endsAt",
  oidc_issuer as "oidcIssuer", oidc_subject as "oidcSubject"`

// From the address with the most of them.
const tables = `operators left join lateral (
    select attempts, since from log_in_attempts where operator = name
    order by attempts desc, since desc limit 1
  ) wrong on true`

const selectAll = statement(`select ${columns} from ${tables} order by name`)

const selectSome = statement(`
  select ${columns} from ${tables} where name = any($1::text[]) order by name`)

export async function allOperators(db: Queries): Promise<readonly Operator[]> {
  return db.query<Operator>(selectAll, [])
}

/** Unknown names are left out. */
export async function operatorsOf(
  db: Queries,
  names: readonly string[],
): Promise<readonly Operator[]> {
  return db.query<Operator>(selectSome, [textArray(names)])
}

const insertRow = statement(`
  insert into operators
    (name, kind, secret_hash, must_change, is_active, version, attempts, attempts_since, created_at,
     created_by, email, secret_by, secret_at)
  values ($1, $2, $3, $4, true, 1, 0, $5, $5, $6, $7, $8::text[], $5)
  on conflict do nothing returning name`)

type Given = 'name' | 'kind' | 'mustChange' | 'roles' | 'email'

export interface NewOperator extends Pick<Operator, Given> {
  readonly secretHash: string
  readonly createdBy: string
  /** Who has seen the secret. */
  readonly secretBy: readonly string[]
}

/** False when the name is taken. */
export async function insertOperator(
  tx: Transaction,
  operator: NewOperator,
  now: Date,
): Promise<boolean> {
  const { name, kind, secretHash, mustChange, roles, createdBy, email } = operator
  const secretBy = textArray(operator.secretBy)
  const values = [name, kind, secretHash, mustChange, now, createdBy, email, secretBy]
  if ((await tx.query(insertRow, values)).length === 0) return false
  await saveRoles(tx, name, roles)
  return true
}

const deleteRoles = statement(`delete from operator_roles where operator = $1`)

const insertRoles = statement(`
  insert into operator_roles (operator, role) select $1, unnest($2::text[]) on conflict do nothing`)

export async function saveRoles(
  tx: Transaction,
  name: string,
  roles: readonly string[],
): Promise<void> {
  await tx.query(deleteRoles, [name])
  await tx.query(insertRoles, [name, textArray(roles)])
}

const update = statement(`update operators set is_active = $2, email = $3 where name = $1`)

export async function saveOperator(
  tx: Transaction,
  name: string,
  { isActive, email }: Pick<Operator, 'isActive' | 'email'>,
): Promise<void> {
  await tx.query(update, [name, isActive, email])
}

const updateIdentity = statement(`
  update operators set oidc_issuer = $2, oidc_subject = $3
  where name = $1 and not exists (
    select from operators where oidc_issuer = $2 and oidc_subject = $3)
  returning name`)

/** False when the identity is that of another operator. Requires the lock of operators. */
export async function bindIdentity(
  tx: Transaction,
  { name, issuer, subject }: { name: string; issuer: string; subject: string },
): Promise<boolean> {
  return (await tx.query(updateIdentity, [name, issuer, subject])).length > 0
}

const deleteIdentity = statement(`
  update operators set oidc_issuer = null, oidc_subject = null where name = $1`)

/** The next log-in at the OpenID provider binds the operator. */
export async function unbindIdentity(tx: Transaction, name: string): Promise<void> {
  await tx.query(deleteIdentity, [name])
}

const updateSecret = statement(`
  update operators set secret_hash = $2, must_change = $3 where name = $1`)

/** Also removes a lock. */
export async function saveSecret(
  tx: Transaction,
  name: string,
  secretHash: string,
  mustChange: boolean,
): Promise<void> {
  await tx.query(updateSecret, [name, secretHash, mustChange])
  await resetAttempts(tx, name)
}

const updateSecretBy = statement(`
  update operators set secret_by = $2::text[], secret_at = $3 where name = $1`)

/** Who has seen the new secret. */
export async function saveSecretBy(
  tx: Transaction,
  name: string,
  secretBy: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query(updateSecretBy, [name, textArray(secretBy), now])
}

const selectHash = statement(`select secret_hash as "secretHash" from operators where name = $1`)

export async function secretHashOf(db: Queries, name: string): Promise<string | undefined> {
  const [row] = await db.query<{ readonly secretHash: string }>(selectHash, [name])
  return row?.secretHash
}

const nextVersion = statement(`
  update operators set version = version + 1 where name = $1 returning version`)

/** Invalidates tokens of lower versions. */
export async function raiseVersion(tx: Transaction, name: string): Promise<number> {
  const [row] = await tx.query<{ readonly version: number }>(nextVersion, [name])
  return row?.version ?? 0
}

const noteSuccess = statement(`update operators set last_log_in_at = $2 where name = $1`)

export async function saveLogIn(tx: Transaction, name: string, now: Date): Promise<void> {
  await tx.query(noteSuccess, [name, now])
}

const selectEnded = statement(`
  select name from operators where ends_at <= $1 order by name`)

/** The names of those whose end is due. */
export async function endedOperators(db: Queries, now: Date): Promise<readonly string[]> {
  const rows = await db.query<{ readonly name: string }>(selectEnded, [now])
  return rows.map(({ name }) => name)
}

const updateEnd = statement(`update operators set ends_at = $2 where name = $1`)

/** @param endsAt null: never */
export async function saveEnd(tx: Transaction, name: string, endsAt: Date | null): Promise<void> {
  await tx.query(updateEnd, [name, endsAt])
}

const countRelated = statement(`
  select name from operators
  where name = any($1::text[])
    and secret_at > clock_timestamp() - $2::double precision * interval '1 ms'
    and secret_by && array_remove($1::text[], name)
  limit 1`)

/** Whether one of the two has known a secret of the other one within that time. */
export async function areRelated(
  db: Queries,
  names: readonly [string, string],
  within_ms: number,
): Promise<boolean> {
  return (await db.query(countRelated, [textArray(names), within_ms])).length > 0
}
