/** Storage of operators and their log-ins. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { Operator } from './domain/operator.ts'

const columns = `name, kind, is_active as "isActive", must_change as "mustChange",
  email, array(select role from operator_roles where operator = name order by role) as roles,
  version, attempts, attempts_since as "attemptsSince", last_log_in_at as "lastLogInAt",
  created_at as "createdAt", created_by as "createdBy"`

const selectAll = statement(`select ${columns} from operators order by name`)

const selectSome = statement(`
  select ${columns} from operators where name = any($1::text[]) order by name`)

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
     created_by, email)
  values ($1, $2, $3, $4, true, 1, 0, $5, $5, $6, $7)
  on conflict do nothing returning name`)

type Given = 'name' | 'kind' | 'mustChange' | 'roles' | 'email'

export interface NewOperator extends Pick<Operator, Given> {
  readonly secretHash: string
  readonly createdBy: string
}

/** False when the name is taken. */
export async function insertOperator(
  tx: Transaction,
  operator: NewOperator,
  now: Date,
): Promise<boolean> {
  const { name, kind, secretHash, mustChange, roles, createdBy, email } = operator
  const values = [name, kind, secretHash, mustChange, now, createdBy, email]
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

const updateSecret = statement(`
  update operators set secret_hash = $2, must_change = $3, attempts = 0 where name = $1`)

/** Also removes a lock. */
export async function saveSecret(
  tx: Transaction,
  name: string,
  secretHash: string,
  mustChange: boolean,
): Promise<void> {
  await tx.query(updateSecret, [name, secretHash, mustChange])
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

const countAttempt = statement(`
  update operators set
    attempts = case when attempts_since > $2 then attempts + 1 else 1 end,
    attempts_since = case when attempts_since > $2 and attempts > 0 then attempts_since else $3 end
  where name = $1 and (kind = 'MACHINE' or attempts < $4 or attempts_since <= $2)
  returning secret_hash as "secretHash"`)

/**
 * Counted before the secret is checked, so that concurrent attempts count like consecutive ones.
 * Undefined for an unknown or locked name.
 */
export async function claimAttempt(
  db: Queries,
  name: string,
  times: { readonly now: Date; readonly forgottenFrom: Date },
  attempts_max: number,
): Promise<string | undefined> {
  const values = [name, times.forgottenFrom, times.now, attempts_max]
  const [row] = await db.query<{ readonly secretHash: string }>(countAttempt, values)
  return row?.secretHash
}

const noteSuccess = statement(`
  update operators set attempts = 0, last_log_in_at = $2 where name = $1`)

export async function saveLogIn(tx: Transaction, name: string, now: Date): Promise<void> {
  await tx.query(noteSuccess, [name, now])
}

const resetAttempts = statement(`update operators set attempts = 0 where name = $1`)

/** After a right password that is not yet a log-in. */
export async function forgetAttempts(tx: Transaction, name: string): Promise<void> {
  await tx.query(resetAttempts, [name])
}
