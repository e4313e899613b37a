/** Payload tables are partitioned by month, and each partition exists before its first row. */
import type { OwnConnection } from './connection.ts'
import type { Queries } from './database.ts'
import { statement } from './statement.ts'

const months_back = 1
/**
 * Rows of up to this many bytes stay whole in their page: compressing each payload costs more than disk.
 */
export const row_bytes_whole = 8_160
/** Beyond the current one. */
export const months_ahead = 2
const tableName = /^[a-z_][a-z0-9_]*$/

/** 'YYYY-MM-01' of the month of the time, UTC. */
export function monthOf(time: Date): string {
  return `${time.toISOString().slice(0, 7)}-01`
}

/**
 * The month under which a time of another system's clock is stored: its own, or the nearest one that
 * certainly has a partition, because a clock that is wrong by months must not lose rows.
 *
 * @param now when the partitions were made, or later
 * @param ahead how many months after that of `now` are used; at most `months_ahead`
 */
export function filedMonthOf(time: Date, now: Date, ahead = 0): string {
  const month = monthOf(time)
  const earliest = monthAfter(now, -months_back)
  const latest = monthAfter(now, ahead)
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
      await db.query(makePartition, [table, monthAfter(now, ahead)])
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

const makePartition = statement('select make_partition($1, $2::date)')

/**
 * The body of `make_partition(of_table, of_month)`, which runs with the rights of the owner of the schema:
 * the role that serves makes partitions and no other table. A partition is attached rather than created in
 * place: that needs no lock for which it would wait for a reader of the table, such as a long backup, with
 * all writers behind it. Its existence is read from the rows of the catalogue: to_regclass may use a cache
 * that is older than this turn.
 */
const functionBody = `
  declare
    name text := of_table || to_char(of_month, '_YYYY_MM');
    first date := date_trunc('month', of_month)::date;
  begin
    perform pg_advisory_xact_lock(hashtextextended('partitions of ' || current_schema, 0));
    if exists (
      select from pg_class where relname = name and relnamespace = current_schema::regnamespace
    ) then return;
    end if;
    if not exists (
      select from pg_class where relname = of_table and relkind = 'p'
        and relnamespace = current_schema::regnamespace
    ) then raise exception '% is not a partitioned table', of_table;
    end if;
    execute format('create table %I (like %I including all excluding identity)
      with (toast_tuple_target = ${row_bytes_whole})', name, of_table);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)',
      of_table, name, first, (first + interval '1 month')::date);
  end `

/** Creates or replaces the function in the schema; the caller owns it. */
export async function makePartitionFunction(
  connection: OwnConnection,
  schema: string,
): Promise<void> {
  const { rows } = await connection.query(
    `select from pg_proc where proname = 'make_partition' and prosrc = $2
       and pronamespace = $1::text::regnamespace`,
    [schema, functionBody],
  )
  if (rows.length > 0) return
  await connection.query(
    `create or replace function ${schema}.make_partition(of_table text, of_month date) returns void
     language plpgsql security definer set search_path = ${schema}, pg_temp
     as $body$${functionBody}$body$`,
  )
}
