/** The SQL of secrets. Values enter and leave it encrypted. */
import {
  byteaArray,
  statement,
  textArray,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import type { SecretKey, SecretSet } from './domain/secrets.ts'

interface SetRow {
  readonly bounded_context_id: string
  readonly version: string
  readonly keys: string
  readonly iteration_number: number
}

const setColumns = `bounded_context_id, version, keys, iteration_number`

function setOf(row: SetRow): SecretSet {
  return {
    contextId: row.bounded_context_id,
    version: row.version,
    keys: JSON.parse(row.keys) as readonly SecretKey[],
    iterationNumber: row.iteration_number,
  }
}

const list = statement(`select ${setColumns} from secret_sets order by bounded_context_id limit $1`)
const find = statement(`select ${setColumns} from secret_sets where bounded_context_id = $1`)
const lock = statement(
  `select ${setColumns} from secret_sets where bounded_context_id = $1 for update`,
)

export async function secretSets(db: Queries, rows_max: number): Promise<readonly SecretSet[]> {
  return (await db.query<SetRow>(list, [rows_max])).map(setOf)
}

export async function secretSetOf(db: Queries, contextId: string): Promise<SecretSet | undefined> {
  const [row] = await db.query<SetRow>(find, [contextId])
  return row && setOf(row)
}

export async function lockSecretSet(
  tx: Transaction,
  contextId: string,
): Promise<SecretSet | undefined> {
  const [row] = await tx.query<SetRow>(lock, [contextId])
  return row && setOf(row)
}

const saveSet = statement(`
  insert into secret_sets (bounded_context_id, version, keys, iteration_number)
  values ($1, $2, $3, $4)
  on conflict (bounded_context_id) do update set version = excluded.version, keys = excluded.keys,
    iteration_number = excluded.iteration_number`)

export async function saveSecretSet(tx: Transaction, set: SecretSet): Promise<void> {
  const { contextId, version, keys, iterationNumber } = set
  await tx.query(saveSet, [contextId, version, JSON.stringify(keys), iterationNumber])
}

export interface StoredSecret {
  readonly contextId: string
  readonly name: string
  readonly sealed: Buffer
  readonly changedAt: Date
  readonly changedBy: string
}

const valueColumns = `bounded_context_id as "contextId", name, sealed, changed_at as "changedAt",
  changed_by as "changedBy"`
const selectValues = statement(`
  select ${valueColumns} from secret_values where bounded_context_id = any($1::text[])
  order by bounded_context_id, name`)

export function storedSecrets(
  db: Queries,
  contextIds: readonly string[],
): Promise<readonly StoredSecret[]> {
  return db.query<StoredSecret>(selectValues, [textArray(contextIds)])
}

const upsertValues = statement(`
  insert into secret_values (bounded_context_id, name, sealed, changed_at, changed_by)
  select $1::text, name, sealed, $4::timestamptz, $5::text
  from unnest($2::text[], $3::bytea[]) as given(name, sealed)
  on conflict (bounded_context_id, name) do update set sealed = excluded.sealed,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by`)

export async function saveSecrets(
  tx: Transaction,
  contextId: string,
  values: readonly Pick<StoredSecret, 'name' | 'sealed'>[],
  changed: { readonly at: Date; readonly by: string },
): Promise<void> {
  const names = textArray(values.map(({ name }) => name))
  const sealed = byteaArray(values.map((each) => each.sealed))
  await tx.query(upsertValues, [contextId, names, sealed, changed.at, changed.by])
}

const deleteValues = statement(
  `delete from secret_values where bounded_context_id = $1 and name = any($2::text[]) returning name`,
)

/** The names that had a value. */
export async function deleteSecrets(
  tx: Transaction,
  contextId: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>(deleteValues, [contextId, textArray(names)])
  return rows.map(({ name }) => name)
}

const claimNonce = statement(`
  insert into secret_reads (key_id, nonce, read_at) values ($1, $2, $3)
  on conflict do nothing returning key_id`)

/** False: the key has used the nonce before. */
export async function claimRead(
  tx: Transaction,
  keyId: string,
  nonce: string,
  at: Date,
): Promise<boolean> {
  return (await tx.query(claimNonce, [keyId, nonce, at])).length > 0
}

const deleteReads = statement(
  `delete from secret_reads where read_at < clock_timestamp() - $1::double precision * interval '1 ms'`,
)

/** Those that are older. */
export async function deleteOldReads(db: Queries, age_ms: number): Promise<void> {
  await db.query(deleteReads, [age_ms])
}

const allValues = statement(`
  select ${valueColumns} from secret_values order by bounded_context_id, name for update`)
const allPending = statement(`
  select request_id as id, sealed from approvals where sealed is not null order by request_id for update`)
const resealValue = statement(
  `update secret_values set sealed = $3 where bounded_context_id = $1 and name = $2`,
)
const resealRequest = statement(`update approvals set sealed = $2 where request_id = $1`)

/** Every sealed text, to be encrypted again after a change of the key; locked in the order of an approval. */
export async function lockSealed(tx: Transaction) {
  const requests = await tx.query<{ readonly id: string; readonly sealed: Buffer }>(allPending, [])
  const values = await tx.query<StoredSecret>(allValues, [])
  return { values, requests }
}

export async function saveResealedValue(
  tx: Transaction,
  { contextId, name }: Pick<StoredSecret, 'contextId' | 'name'>,
  sealed: Buffer,
): Promise<void> {
  await tx.query(resealValue, [contextId, name, sealed])
}

export async function saveResealedRequest(
  tx: Transaction,
  id: string,
  sealed: Buffer,
): Promise<void> {
  await tx.query(resealRequest, [id, sealed])
}
