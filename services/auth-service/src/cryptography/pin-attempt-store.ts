/** Storage of refused and translated PIN blocks. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { KnownBlock, PinAttempt, Refusals } from './domain/pin-attempt.ts'

const selectRefusals = statement(`
  select coalesce(sum(refused) filter (where key_id = $1), 0)::int as "ofKey",
    coalesce(sum(refused) filter (where caller = $2), 0)::int as "ofCaller"
  from refused_pin_blocks where since > $3 and (key_id = $1 or caller = $2)`)

/** @param from earlier ones do not count */
export async function refusalsOf(
  tx: Transaction,
  keyId: string,
  caller: string,
  from: Date,
): Promise<Refusals> {
  const [row] = await tx.query<Refusals>(selectRefusals, [keyId, caller, from])
  return row ?? { ofKey: 0, ofCaller: 0 }
}

const insertRefusal = statement(`
  insert into refused_pin_blocks as stored (key_id, caller, refused, since) values ($1, $2, 1, $3)
  on conflict (key_id, caller) do update set
    refused = case when stored.since > $4 then stored.refused + 1 else 1 end,
    since = case when stored.since > $4 then stored.since else $3 end`)

export async function addRefusal(
  tx: Transaction,
  keyId: string,
  caller: string,
  { now, from }: { readonly now: Date; readonly from: Date },
): Promise<void> {
  await tx.query(insertRefusal, [keyId, caller, now, from])
}

const deleteRefusals = statement(
  `delete from refused_pin_blocks where key_id = $1 returning caller`,
)

/** Whether there were any. */
export async function forgetRefusals(tx: Transaction, keyId: string): Promise<boolean> {
  return (await tx.query(deleteRefusals, [keyId])).length > 0
}

const selectBlock = statement(`
  select account_hash as "accountHash", refused from known_pin_blocks where block_hash = $1`)

export async function knownBlock(
  tx: Transaction,
  { blockHash }: PinAttempt,
): Promise<KnownBlock | undefined> {
  return (await tx.query<KnownBlock>(selectBlock, [blockHash]))[0]
}

const upsertBlock = statement(`
  insert into known_pin_blocks as stored (block_hash, account_hash, refused, at)
  values ($1, case when $3 then null else $2::bytea end, $3::boolean::int, $4)
  on conflict (block_hash) do update set
    account_hash = coalesce(stored.account_hash, excluded.account_hash),
    refused = stored.refused + excluded.refused, at = excluded.at`)

export async function saveAttempt(
  tx: Transaction,
  { blockHash, accountHash }: PinAttempt,
  wasRefused: boolean,
  now: Date,
): Promise<void> {
  await tx.query(upsertBlock, [blockHash, accountHash, wasRefused, now])
}

const deleteOldBlocks = statement(`delete from known_pin_blocks where at <= $1`)
const deleteOldRefusals = statement(`delete from refused_pin_blocks where since <= $1`)

export async function deletePinAttempts(
  db: Queries,
  { blocks, refusals }: { readonly blocks: Date; readonly refusals: Date },
): Promise<void> {
  await db.query(deleteOldBlocks, [blocks])
  await db.query(deleteOldRefusals, [refusals])
}
