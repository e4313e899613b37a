/** Storage of FSPs' keys. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { Key } from './domain/key.ts'

const columns = `participant, kid, use, thumbprint, jwk, valid_from as "validFrom",
  valid_to as "validTo", created_at as "createdAt", created_by as "createdBy"`

const selectKeys = statement(`
  select ${columns} from participant_keys
  where participant = any($1::text[])
  order by participant, created_at, kid`)

type KeyRow = Key & { readonly participant: string }

/** The keys of these FSPs, oldest first; FSPs without keys are left out. */
export async function keysOf(
  db: Queries,
  participants: readonly string[],
): Promise<ReadonlyMap<string, readonly Key[]>> {
  const found = new Map<string, Key[]>()
  for (const { participant, ...key } of await db.query<KeyRow>(selectKeys, [
    textArray(participants),
  ])) {
    const keys = found.get(participant) ?? []
    keys.push(key)
    found.set(participant, keys)
  }
  return found
}

const insertKey = statement(`
  insert into participant_keys
    (participant, kid, use, thumbprint, jwk, valid_from, valid_to, created_at, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)

export async function insert(tx: Transaction, participant: string, key: Key): Promise<void> {
  const { kid, use, thumbprint, jwk, validFrom, validTo, createdAt, createdBy } = key
  await tx.query(insertKey, [
    participant,
    kid,
    use,
    thumbprint,
    jwk,
    validFrom,
    validTo,
    createdAt,
    createdBy,
  ])
}

const updateEnd = statement(`
  update participant_keys set valid_to = $3 where participant = $1 and kid = $2`)

export async function saveEnd(tx: Transaction, participant: string, key: Key): Promise<void> {
  await tx.query(updateEnd, [participant, key.kid, key.validTo])
}
