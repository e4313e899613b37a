/**
 * Reads tables in slices, in physical order: each statement reads a bounded number of pages,
 * regardless of the size of the table, and no page is read twice.
 */
import { statement, type Queries } from '@causeway/postgres'

/** A range of row ids (ctid): from inclusive, to exclusive. */
export interface Slice {
  readonly from: string
  readonly to: string
}

const settings = statement(`
  select set_config('enable_tidscan', 'on', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
    set_config('jit', 'off', true)`)

/**
 * Rows that a slice is compared with are looked up by key, never by reading their whole table, and
 * what a slice comes to is summed without sorting it.
 */
export async function lookUpByKeys(tx: Queries): Promise<void> {
  await tx.query(settings, [])
}

const lock = statement(`lock table journal, entries in access share mode`)

/**
 * Prevents the tables from being rewritten during the transaction, which would change the ctid of
 * rows.
 */
export async function preventRewrites(tx: Queries): Promise<void> {
  await tx.query(lock, [])
}

/** A partitioned table has no pages of its own, and another one has no partitions. */
const measure = statement(`
  with parts as (
    select pg_relation_size($1::regclass) as bytes
    union all
    select pg_relation_size(relid) from pg_partition_tree($1::regclass) where isleaf
  )
  select coalesce(max(bytes / current_setting('block_size')::integer), 0) as pages,
    count(*)::integer as parts
  from parts where bytes > 0`)

/**
 * The slices of a table at its current size. A slice is the same range of pages in each partition;
 * `pages_max` bounds all of them together.
 */
export async function slicesOf(
  tx: Queries,
  table: 'journal' | 'entries',
  pages_max: number,
): Promise<readonly Slice[]> {
  const [size] = await tx.query<{ pages: string; parts: number }>(measure, [table])
  if (size === undefined) throw new Error(`the size of ${table} is unknown`)
  const pages = Number(size.pages)
  const step = Math.max(1, Math.floor(pages_max / Math.max(1, size.parts)))
  return Array.from({ length: Math.ceil(pages / step) }, (_, number) => ({
    from: `(${number * step},0)`,
    to: `(${(number + 1) * step},0)`,
  }))
}
