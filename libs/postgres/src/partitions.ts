/** Payload tables are partitioned by month, and each partition exists before its first row. */
import { statement } from './statement.ts'
import type { Queries, Statement } from './database.ts'

const months_back = 1
/**
 * Rows of up to this many bytes stay whole in their page: compressing each payload costs more than disk.
 */
export const row_bytes_whole = 8_160
const months_ahead = 2
const tableName = /^[a-z_][a-z0-9_]*$/

/** 'YYYY-MM-01' of the month of the time, UTC. */
export function monthOf(time: Date): string {
  return `${time.toISOString().slice(0, 7)}-01`
}

/**
 * The month under which a time of another system's clock is stored: its own, or the nearest one that
 * certainly has a partition, because a clock that is wrong by months must not lose rows.
 */
export function filedMonthOf(time: Date, now: Date): string {
  const month = monthOf(time)
  const earliest = monthAfter(now, -months_back)
  const latest = monthOf(now)
  if (month < earliest) return earliest
  return month > latest ? latest : month
}

/**
 * Creates the missing partitions of the month before, this month and the next two. The tables are
 * partitioned by range of a date column that holds `monthOf`.
 */
export async function ensureMonthlyPartitions(
  db: Queries,
  tables: readonly string[],
  now: Date,
): Promise<void> {
  for (const table of tables) {
    if (!tableName.test(table)) throw new Error(`${table} is no plain table name`)
    for (let ahead = -months_back; ahead <= months_ahead; ahead++) {
      await db.query(partition(table, monthAfter(now, ahead), monthAfter(now, ahead + 1)), [])
    }
  }
}

/**
 * SQL that is true when a month of the table is archived: a month in which rows were stored had a
 * partition, and the archive has dropped it.
 * @param month an expression: any day of the month, a date or a time without zone
 */
export function isArchived(table: string, month: string): string {
  return `not exists (
    select from pg_inherits join pg_class p on p.oid = inhrelid
    where inhparent = '${table}'::regclass and not inhdetachpending
      and p.relname = '${table}_' || to_char(${month}, 'YYYY_MM')
  )`
}

/**
 * SQL for the months of these times in which rows of the table are archived, each once in order, as
 * an array of texts YYYY-MM.
 * @param times expressions of type timestamptz; null counts for no month
 */
export function archivedMonths(table: string, times: readonly string[]): string {
  return `array(
    select distinct to_char(at, 'YYYY-MM') as month
    from (select time at time zone 'UTC' as at from unnest(array[${times.join(', ')}]) as t (time)) m
    where at is not null and ${isArchived(table, 'at')}
    order by month
  )`
}

function monthAfter(now: Date, months: number): string {
  return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)))
}

/**
 * Attached rather than created in place: that needs no lock for which it would wait for a reader of the
 * table, such as a long backup, with all writers behind it. Its existence is read from the rows of the
 * catalogue: to_regclass may use a cache that is older than this turn.
 */
function partition(table: string, from: string, to: string): Statement {
  const name = `${table}_${from.slice(0, 7).replace('-', '_')}`
  return statement(`do $$ begin
    perform pg_advisory_xact_lock(hashtextextended('partitions of ' || current_schema, 0));
    if not exists (
      select from pg_class
       where relname = '${name}' and relnamespace = current_schema::regnamespace
    ) then
      create table ${name} (like ${table} including all excluding identity)
        with (toast_tuple_target = ${row_bytes_whole});
      alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}');
    end if;
  end $$`)
}
