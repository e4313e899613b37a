/**
 * The history of an account, newest first. Journal lines never change, and an account stores the
 * last batch that moved it, so a page needs no snapshot to agree with the account's value.
 */
import { statement, textArray, type Queries } from '@causeway/postgres'
import type { JournalStep, LedgerEntryKind } from '@causeway/protos'

export interface HistoryLine {
  readonly entryId: string
  readonly step: JournalStep
  readonly batch: bigint
  /** The change of the account's value by the line; not 0. */
  readonly change: bigint
  readonly at: Date
}

/** The key of the line before which a page ends. */
export interface LineKey {
  readonly batch: bigint
  readonly entryId: string
  readonly rank: number
}

/** Orders the lines of one entry in one batch. */
const rank = `case when step in ('RESERVE', 'MOVE') then 1 when step in ('POST', 'VOID') then 2
  when step = 'GROSS_FROM_HUB' then 4 else 3 end`

/** Pending debits count in a value, pending credits do not. */
const change = `
  case when debit_account_id = $1
    then case step when 'POST' then 0 when 'VOID' then -amount else amount end
    else case when step in ('RESERVE', 'VOID') then 0 else -amount end end`

const ofAccount = `(debit_account_id = $1 or credit_account_id = $1)`

const slice = statement(`
  select entry_id, step, batch, at, change, rank from (
    select entry_id, step, batch, at, ${change} as change, ${rank} as rank from journal
    where ${ofAccount} and batch > $2 and batch <= $3
      and ($7::text is null or at >= $7::text::timestamptz)
      and ($8::text is null or at <= $8::text::timestamptz)
  ) lines
  where change <> 0 and (batch, entry_id, rank) < ($3::bigint, $4::text collate "C", $5::integer)
  order by batch desc, entry_id desc, rank desc
  limit $6`)

interface LineRow {
  readonly entry_id: string
  readonly step: JournalStep
  readonly batch: string
  readonly at: Date
  readonly change: string
  readonly rank: number
}

export interface SliceQuery {
  readonly accountId: number
  /** Batches above this one, up to the batch of `before`. */
  readonly above: bigint
  readonly before: LineKey
  readonly limit: number
  /** ISO 8601; null: unbounded. */
  readonly from: string | null
  readonly to: string | null
}

export async function linesIn(
  db: Queries,
  { accountId, above, before, limit, from, to }: SliceQuery,
): Promise<readonly (HistoryLine & LineKey)[]> {
  const rows = await db.query<LineRow>(slice, [
    accountId,
    String(above),
    String(before.batch),
    before.entryId,
    before.rank,
    limit,
    from,
    to,
  ])
  return rows.map((row) => ({
    entryId: row.entry_id,
    step: row.step,
    batch: BigInt(row.batch),
    rank: row.rank,
    change: BigInt(row.change),
    at: row.at,
  }))
}

const since = statement(`
  select coalesce(sum(${change}), 0) as change from journal
  where ${ofAccount} and batch <= $2 and at > $3::text::timestamptz`)

/** The change of the account's value after this time, up to this batch. */
export async function changeAfter(
  db: Queries,
  accountId: number,
  batch: bigint,
  time: string,
): Promise<bigint> {
  const [row] = await db.query<{ change: string }>(since, [accountId, String(batch), time])
  return BigInt(row?.change ?? 0)
}

const now = statement(`
  select debits_posted + debits_pending - credits_posted as value, batch
  from accounts join participants on participants.id = participant_id
  where accounts.id = $1 and ($2::text is null or name = $2) and accounts.type <> 'HUB_OPENING_BALANCE'`)

/** The value of an account and the last batch that moved it. */
export async function valueNow(
  db: Queries,
  accountId: number,
  name: string | undefined,
): Promise<{ readonly value: bigint; readonly batch: bigint } | undefined> {
  const [row] = await db.query<{ value: string; batch: string }>(now, [accountId, name ?? null])
  return row && { value: BigInt(row.value), batch: BigInt(row.batch) }
}

const kinds = statement(`select id, kind from entries where id = any($1::text[])`)

export async function kindsOf(
  db: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LedgerEntryKind>> {
  const rows = await db.query<{ id: string; kind: LedgerEntryKind }>(kinds, [textArray(ids)])
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}
