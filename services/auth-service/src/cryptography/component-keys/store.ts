/** Storage of components' keys. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { RegisteredKey } from './domain/component-key.ts'

interface ComponentKeyRow {
  readonly key_id: string
  readonly bounded_context_id: string
  readonly public_key: string
  readonly registered_at: Date
  readonly revoked_at: Date | null
  readonly revoked_by: string | null
}

const columns = `key_id, bounded_context_id, public_key, registered_at, revoked_at, revoked_by`

function keyOf(row: ComponentKeyRow): RegisteredKey {
  const { revoked_at: at, revoked_by: by } = row
  return {
    id: row.key_id,
    contextId: row.bounded_context_id,
    publicKey: row.public_key,
    registeredAt: row.registered_at,
    revoked: at === null || by === null ? null : { at, by },
  }
}

/** Keys in force first, which revoked ones must not displace. */
const selectAll = statement(`
  select ${columns} from component_keys
  order by revoked_at is not null, registered_at desc, key_id limit $1`)

export async function allComponentKeys(
  db: Queries,
  rows_max: number,
): Promise<readonly RegisteredKey[]> {
  return (await db.query<ComponentKeyRow>(selectAll, [rows_max])).map(keyOf)
}

const selectOne = statement(`select ${columns} from component_keys where key_id = $1 for update`)

export async function lockComponentKey(
  tx: Transaction,
  keyId: string,
): Promise<RegisteredKey | undefined> {
  const [row] = await tx.query<ComponentKeyRow>(selectOne, [keyId])
  return row && keyOf(row)
}

const countInForce = statement(`
  select count(*)::integer as keys from component_keys
  where bounded_context_id = $1 and revoked_at is null`)

export async function keysInForce(tx: Transaction, contextId: string): Promise<number> {
  const [row] = await tx.query<{ readonly keys: number }>(countInForce, [contextId])
  return row?.keys ?? 0
}

const insertKey = statement(`
  insert into component_keys (key_id, bounded_context_id, public_key, registered_at)
  values ($1, $2, $3, $4)`)

export async function insertComponentKey(tx: Transaction, key: RegisteredKey): Promise<void> {
  await tx.query(insertKey, [key.id, key.contextId, key.publicKey, key.registeredAt])
}

const revoke = statement(`
  update component_keys set revoked_at = $2, revoked_by = $3 where key_id = $1`)

export async function saveRevocation(
  tx: Transaction,
  keyId: string,
  { at, by }: NonNullable<RegisteredKey['revoked']>,
): Promise<void> {
  await tx.query(revoke, [keyId, at, by])
}
