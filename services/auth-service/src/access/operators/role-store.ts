/** Storage of roles and privileges. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { Role } from './domain/operator.ts'

const selectRoles = statement(`
  select id, label, description, privileges, is_built_in as "isBuiltIn" from roles order by id`)

interface RoleRow extends Omit<Role, 'privileges'> {
  /** JSON. */
  readonly privileges: string
}

export async function allRoles(db: Queries): Promise<readonly Role[]> {
  const rows = await db.query<RoleRow>(selectRoles, [])
  return rows.map(({ privileges, ...role }) => ({
    ...role,
    privileges: JSON.parse(privileges) as readonly string[],
  }))
}

const upsertRole = statement(`
  insert into roles (id, label, description, privileges, is_built_in) values ($1, $2, $3, $4, false)
  on conflict (id) do update
    set label = excluded.label, description = excluded.description, privileges = excluded.privileges`)

/** The caller holds the lock of the roles, so there is no concurrent change. */
export async function saveRole(tx: Transaction, role: Omit<Role, 'isBuiltIn'>): Promise<void> {
  const { id, label, description, privileges } = role
  await tx.query(upsertRole, [id, label, description, JSON.stringify(privileges)])
}

export interface Privilege {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly boundedContext: string
}

const selectPrivileges = statement(`
  select id, label, description, bounded_context as "boundedContext" from privileges order by id`)

export async function allPrivileges(db: Queries): Promise<readonly Privilege[]> {
  return db.query<Privilege>(selectPrivileges, [])
}

const selectVersion = statement(`select version from privilege_sets where bounded_context = $1`)

export async function setVersionOf(
  db: Queries,
  boundedContext: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ readonly version: string }>(selectVersion, [boundedContext])
  return row?.version
}

const upsertVersion = statement(`
  insert into privilege_sets (bounded_context, version) values ($1, $2)
  on conflict (bounded_context) do update set version = excluded.version`)

const deletePrivileges = statement(`
  delete from privileges where bounded_context = $1 and id <> all($2::text[])`)

const upsertPrivileges = statement(`
  insert into privileges (id, bounded_context, label, description)
  select id, $1, label, description
  from unnest($2::text[], $3::text[], $4::text[]) as row (id, label, description)
  on conflict (id) do update set label = excluded.label, description = excluded.description
    where privileges.bounded_context = excluded.bounded_context`)

/** Replaces the whole set. */
export async function savePrivileges(
  tx: Transaction,
  boundedContext: string,
  version: string,
  privileges: readonly Omit<Privilege, 'boundedContext'>[],
): Promise<void> {
  const ids = textArray(privileges.map(({ id }) => id))
  await tx.query(upsertVersion, [boundedContext, version])
  await tx.query(deletePrivileges, [boundedContext, ids])
  await tx.query(upsertPrivileges, [
    boundedContext,
    ids,
    textArray(privileges.map(({ label }) => label)),
    textArray(privileges.map(({ description }) => description)),
  ])
}
