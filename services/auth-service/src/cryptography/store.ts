/** Storage of key definitions, keys, the chosen adapter and listener certificates. */
import type { Adapter, Curve } from '@causeway/keys/provider'
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { KeyDefinition } from './domain/managed-key.ts'

const definitionColumns = `id, label, usage, type, valid_from as "validFrom", valid_to as "validTo",
  created_at as "createdAt", created_by as "createdBy"`

const insertDefinitionRow = statement(`
  insert into key_definitions
    (id, request_id, label, usage, type, valid_from, valid_to, created_at, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (request_id) do nothing returning id`)

/** False when the request was made before. */
export async function insertDefinition(
  tx: Transaction,
  requestId: string,
  definition: KeyDefinition,
): Promise<boolean> {
  const { id, label, usage, type, validFrom, validTo, createdAt, createdBy } = definition
  const values = [id, requestId, label, usage, type, validFrom, validTo, createdAt, createdBy]
  return (await tx.query(insertDefinitionRow, values)).length > 0
}

const selectRequestedDefinition = statement(`
  select ${definitionColumns} from key_definitions where request_id = $1`)

export async function definitionOfRequest(
  db: Queries,
  requestId: string,
): Promise<KeyDefinition | undefined> {
  return (await db.query<KeyDefinition>(selectRequestedDefinition, [requestId]))[0]
}

const selectDefinition = statement(`select ${definitionColumns} from key_definitions where id = $1`)

export async function definitionOf(db: Queries, id: string): Promise<KeyDefinition | undefined> {
  return (await db.query<KeyDefinition>(selectDefinition, [id]))[0]
}

const selectDefinitions = statement(`
  select ${definitionColumns} from key_definitions order by created_at desc, id limit $1`)

export async function newestDefinitions(
  db: Queries,
  limit: number,
): Promise<readonly KeyDefinition[]> {
  return db.query<KeyDefinition>(selectDefinitions, [limit])
}

export interface ManagedKey {
  readonly id: string
  readonly definitionId: string
  readonly requestHash: Buffer
  readonly adapter: Adapter
  readonly material: Buffer
  /** null: a secret key. */
  readonly curve: Curve | null
  /** PEM. */
  readonly publicKey: string | null
  readonly kcv: string | null
  readonly csr: string | null
  readonly certificate: string | null
  readonly createdAt: Date
  readonly createdBy: string
}

const keyColumns = `crypto_keys.id, definition_id as "definitionId", request_hash as "requestHash",
  adapter, material, curve, public_key as "publicKey", kcv, csr, certificate,
  crypto_keys.created_at as "createdAt", crypto_keys.created_by as "createdBy"`

const insertKeyRow = statement(`
  insert into crypto_keys
    (id, definition_id, request_id, request_hash, adapter, material, curve, public_key, kcv, csr,
     certificate, created_at, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  on conflict (request_id) do nothing returning id`)

/** False when the request was made before. */
export async function insertKey(
  tx: Transaction,
  requestId: string,
  key: ManagedKey,
): Promise<boolean> {
  const { id, definitionId, requestHash, adapter, material, curve, publicKey, kcv } = key
  const made = [adapter, material, curve, publicKey, kcv, key.csr, key.certificate]
  const values = [id, definitionId, requestId, requestHash, ...made, key.createdAt, key.createdBy]
  return (await tx.query(insertKeyRow, values)).length > 0
}

const selectRequestedKey = statement(`
  select ${keyColumns} from crypto_keys where request_id = $1`)

export async function keyOfRequest(
  db: Queries,
  requestId: string,
): Promise<ManagedKey | undefined> {
  return (await db.query<ManagedKey>(selectRequestedKey, [requestId]))[0]
}

/** A key with what its definition has to do with its use. */
export interface UsableKey extends ManagedKey {
  readonly usage: KeyDefinition['usage']
  readonly type: KeyDefinition['type']
  readonly validFrom: Date
  readonly validTo: Date | null
}

const selectKey = statement(`
  select ${keyColumns}, usage, type, valid_from as "validFrom", valid_to as "validTo"
  from crypto_keys join key_definitions on key_definitions.id = definition_id
  where crypto_keys.id = $1`)

export async function keyOf(db: Queries, id: string): Promise<UsableKey | undefined> {
  return (await db.query<UsableKey>(selectKey, [id]))[0]
}

const selectKeys = statement(`
  select ${keyColumns} from crypto_keys order by created_at desc, id limit $1`)

export async function newestKeys(db: Queries, limit: number): Promise<readonly ManagedKey[]> {
  return db.query<ManagedKey>(selectKeys, [limit])
}

const selectEncrypted = statement(`
  select id, material from crypto_keys where adapter = 'NODE' order by id for update`)

/** Keys whose material this database has, locked. */
export async function lockEncryptedKeys(
  tx: Transaction,
): Promise<readonly Pick<ManagedKey, 'id' | 'material'>[]> {
  return tx.query(selectEncrypted, [])
}

const updateMaterial = statement(`update crypto_keys set material = $2 where id = $1`)

export async function saveMaterial(tx: Transaction, id: string, material: Buffer): Promise<void> {
  await tx.query(updateMaterial, [id, material])
}

export interface ChosenAdapter {
  readonly adapter: Adapter
  readonly changedAt: Date
  readonly changedBy: string
}

const selectAdapter = statement(`
  select adapter, changed_at as "changedAt", changed_by as "changedBy" from crypto_adapter`)

export async function chosenAdapter(db: Queries): Promise<ChosenAdapter | undefined> {
  return (await db.query<ChosenAdapter>(selectAdapter, []))[0]
}

const upsertAdapter = statement(`
  insert into crypto_adapter (adapter, changed_at, changed_by) values ($1, $2, $3)
  on conflict (is_one) do update
  set adapter = excluded.adapter, changed_at = excluded.changed_at, changed_by = excluded.changed_by`)

export async function saveAdapter(tx: Transaction, chosen: ChosenAdapter): Promise<void> {
  await tx.query(upsertAdapter, [chosen.adapter, chosen.changedAt, chosen.changedBy])
}

export interface ListenerRow {
  readonly host: string
  readonly keyId: string
  /** PEM, with its chain. */
  readonly certificate: string
}

const upsertListener = statement(`
  insert into listener_certificates (host, key_id, certificate, changed_at, changed_by)
  values ($1, $2, $3, $4, $5)
  on conflict (host) do update
  set key_id = excluded.key_id, certificate = excluded.certificate,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by`)

export async function saveListener(
  tx: Transaction,
  { host, keyId, certificate }: ListenerRow,
  now: Date,
  actor: string,
): Promise<void> {
  await tx.query(upsertListener, [host, keyId, certificate, now, actor])
}

const selectListeners = statement(`
  select host, key_id as "keyId", certificate from listener_certificates order by host`)

export async function listeners(db: Queries): Promise<readonly ListenerRow[]> {
  return db.query<ListenerRow>(selectListeners, [])
}
