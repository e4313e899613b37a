/**
 * The keys that a service has encrypted messages with, in the table `message_keys` of its schema. A key is
 * there before the first message that it encrypts, so auth-service learns of each key that it must not
 * replace.
 */
import { statement, textArray, type Queries } from '@causeway/postgres'
import type { SealedWith } from './cipher.ts'

const selectAll = statement(`
  select to_char(month, 'YYYY-MM') as month, encode(thumbprint, 'hex') as thumbprint
  from message_keys order by message_keys.month`)

export function heldKeys(db: Queries): Promise<readonly SealedWith[]> {
  return db.query<SealedWith>(selectAll, [])
}

const insert = statement(`
  insert into message_keys (month, thumbprint)
  select to_date(month, 'YYYY-MM'), decode(thumbprint, 'hex')
  from unnest($1::text[], $2::text[]) as a (month, thumbprint)
  order by month, thumbprint
  on conflict do nothing`)

export async function noteHeld(db: Queries, keys: readonly SealedWith[]): Promise<void> {
  await db.query(insert, [
    textArray(keys.map(({ month }) => month)),
    textArray(keys.map(({ thumbprint }) => thumbprint)),
  ])
}
