/**
 * The lines of the journal: their sums by account, and whether they are the lines that the entries
 * require.
 */
import { statement, textArray, type Queries } from '@causeway/postgres'
import type { JournalStep } from '@causeway/protos'
import type { StepSum } from './domain/accounts.ts'
import { buckets_count, type Mark } from './domain/marks.ts'
import type { Slice } from './slice-store.ts'

/** One row for each account and step, as the debit side and as the credit side. */
const sumLines = statement(`
  select debit_account_id, credit_account_id, step, sum(amount) as amount from journal
  where ctid >= $1 and ctid < $2 and batch <= $3
  group by grouping sets ((debit_account_id, step), (credit_account_id, step))`)

interface SumRow {
  readonly debit_account_id: number | null
  readonly credit_account_id: number | null
  readonly step: JournalStep
  readonly amount: string
}

/** The sums of the lines up to this batch. */
export async function stepSums(
  tx: Queries,
  { from, to }: Slice,
  batch: bigint,
): Promise<readonly StepSum[]> {
  const rows = await tx.query<SumRow>(sumLines, [from, to, String(batch)])
  return rows.map((row) => ({
    accountId: row.debit_account_id ?? row.credit_account_id ?? 0,
    side: row.debit_account_id === null ? 'CREDIT' : 'DEBIT',
    step: row.step,
    amount: BigInt(row.amount),
  }))
}

/** The steps that an entry must have written. */
const expectedSteps = `
  case
    when entries.fee is null or entries.outcome = 'REFUSED' then '{}'
    when entries.outcome = 'RESERVED' then '{FEE_RESERVE}'
    else '{FEE_RESERVE,FEE_VOID}'
  end::text[] || case
    when entries.debit_account_id is null or entries.outcome = 'REFUSED' then '{}'
    when entries.outcome = 'RESERVED' then '{RESERVE}'
    when entries.outcome = 'VOIDED' then '{RESERVE,VOID}'
    when entries.kind not in ('TRANSFER', 'FUNDS_OUT') then '{MOVE}'
    when entries.settles = 'GROSS_IMMEDIATE' then '{GROSS_PAYEE,GROSS_PAYER,POST,RESERVE}'
    when entries.settles = 'GROSS_IMMEDIATE_MULTILATERAL'
      then '{GROSS_FROM_HUB,GROSS_POSITIONS,GROSS_TO_HUB,POST,RESERVE}'
    else '{POST,RESERVE}'
  end::text[]`

/**
 * An entry contains the positions that it moves; the gross steps also move settlement accounts and the
 * account of the hub, and the steps of a fee the fee accounts.
 */
const otherDebit = `(step in ('GROSS_PAYER', 'GROSS_TO_HUB', 'GROSS_FROM_HUB') or step like 'FEE%')`
const otherCredit = `(step in ('GROSS_PAYEE', 'GROSS_TO_HUB', 'GROSS_FROM_HUB') or step like 'FEE%')`

const expectedLines = `
  select id, step, case when step like 'FEE%' then fee else amount end::numeric as amount,
    case when ${otherDebit} then 0 when step in ('GROSS_PAYEE', 'GROSS_POSITIONS')
      then credit_account_id else debit_account_id end as debit_account_id,
    case when ${otherCredit} then 0 when step in ('GROSS_PAYER', 'GROSS_POSITIONS')
      then debit_account_id else credit_account_id end as credit_account_id
  from (
    select id, amount, fee, debit_account_id, credit_account_id, unnest(${expectedSteps}) as step
    from entries`

const writtenLines = `
  select entry_id as id, step::text as step, amount::numeric as amount,
    case when ${otherDebit} then 0 else debit_account_id end as debit_account_id,
    case when ${otherCredit} then 0 else credit_account_id end as credit_account_id
  from journal`

const bucket = `(hashtextextended(id, $1) & ${buckets_count - 1})::integer`

const marks = `
  select ${bucket} as bucket, count(*) as lines, bit_xor(hash_record_extended(
    row(id, step, amount, debit_account_id, credit_account_id), $1)) as hash
  from lines group by bucket`

const markWritten = statement(`
  with lines as (
    ${writtenLines} where ctid >= $2 and ctid < $3 and batch <= $4
  ) ${marks}`)

const markFinal = statement(`
  with lines as (
    ${expectedLines}
      where ctid >= $2 and ctid < $3 and batch <= $4 and outcome <> 'RESERVED') steps
  ) ${marks}`)

const markReserved = statement(`
  with lines as (${expectedLines} where outcome = 'RESERVED') steps)
  ${marks}`)

interface MarkRow {
  readonly bucket: number
  readonly lines: string
  readonly hash: string
}

/** The checksums of the lines written up to this batch. */
export async function writtenMarks(
  tx: Queries,
  { from, to }: Slice,
  batch: bigint,
  seed: bigint,
): Promise<readonly Mark[]> {
  return (await tx.query<MarkRow>(markWritten, [String(seed), from, to, String(batch)])).map(markOf)
}

/** The checksums of the lines required by the entries that were final after this batch. */
export async function finalMarks(
  tx: Queries,
  { from, to }: Slice,
  batch: bigint,
  seed: bigint,
): Promise<readonly Mark[]> {
  return (await tx.query<MarkRow>(markFinal, [String(seed), from, to, String(batch)])).map(markOf)
}

/** The checksums of the lines required by the current reservations. */
export async function reservedMarks(tx: Queries, seed: bigint): Promise<readonly Mark[]> {
  return (await tx.query<MarkRow>(markReserved, [String(seed)])).map(markOf)
}

function markOf({ bucket: number, lines, hash }: MarkRow): Mark {
  return { bucket: number, lines: BigInt(lines), hash: BigInt(hash) }
}

const inBuckets = `${bucket} = any($2::text[]::integer[])`

const nameEntries = statement(`
  select entries.id, entries.kind, entries.outcome, expected.steps as expected,
    coalesce(found.steps, '') || case when found.agrees is not false then ''
      else ' (of another amount or between other accounts)' end as steps
  from entries
  cross join lateral (
    select string_agg(step, ' ' order by step collate "C") as steps,
      bool_and(journal.amount = case when step like 'FEE%' then entries.fee else entries.amount end
        and (${otherDebit} or journal.debit_account_id
          = case when step in ('GROSS_PAYEE', 'GROSS_POSITIONS') then entries.credit_account_id
            else entries.debit_account_id end)
        and (${otherCredit} or journal.credit_account_id
          = case when step in ('GROSS_PAYER', 'GROSS_POSITIONS') then entries.debit_account_id
            else entries.credit_account_id end)) as agrees
    from journal where entry_id = entries.id
  ) found
  cross join lateral (select array_to_string(${expectedSteps}, ' ') as steps) expected
  where entries.ctid >= $3 and entries.ctid < $4 and ${inBuckets}
    and (coalesce(found.steps, '') <> expected.steps or not found.agrees)
  order by entries.id`)

export interface EntryDifference {
  readonly id: string
  readonly kind: string
  readonly outcome: string
  readonly steps: string
  readonly expected: string
}

/** Entries of these buckets whose lines are not the ones that they must have written. */
export function differentEntries(
  tx: Queries,
  { from, to }: Slice,
  buckets: readonly number[],
  seed: bigint,
): Promise<readonly EntryDifference[]> {
  const wanted = textArray(buckets.map(String))
  return tx.query<EntryDifference>(nameEntries, [String(seed), wanted, from, to])
}

const nameOrphans = statement(`
  select id as "entryId", step, amount
  from (
    select entry_id as id, step, amount from journal where ctid >= $3 and ctid < $4
  ) lines
  where ${inBuckets} and not exists (select from entries where entries.id = lines.id)
  order by lines.id, step`)

export interface OrphanLine {
  readonly entryId: string
  readonly step: string
  readonly amount: string
}

/** Lines of these buckets that belong to no entry. */
export function orphanLines(
  tx: Queries,
  { from, to }: Slice,
  buckets: readonly number[],
  seed: bigint,
): Promise<readonly OrphanLine[]> {
  const wanted = textArray(buckets.map(String))
  return tx.query<OrphanLine>(nameOrphans, [String(seed), wanted, from, to])
}
