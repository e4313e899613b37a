/** Payload tables are partitioned by month, and the partition is there before its first row. */
import { statement } from './statement.ts'
import type { Queries, Statement } from './database.ts'

const months_back = 1
/**
 * Rows of up to so many bytes stay whole in their page: compressing each payload costs more than
 * disk.
 */
export const row_bytes_whole = 8_160
const months_ahead = 2
const tableName = /^[a-z_][a-z0-9_]*$/

/** 'YYYY-MM-01' of the month that the time lies in, UTC. */
export function monthOf(time: Date): string {
  return `${time.toISOString().slice(0, 7)}-01`
}

/**
 * The month under which a time of another system's clock is filed: its own, or the nearest one that
 * has a partition for certain, because a clock that is wrong by months must lose no row.
 */
export function filedMonthOf(time: Date, now: Date): string {
  const month = monthOf(time)
  const earliest = monthAfter(now, -months_back)
  const latest = monthOf(now)
  if (month < earliest) return earliest
  return month > latest ? latest : month
}

/**
 * Makes the partitions of the month before, this month and the next two where they are missing. The
 * tables are partitioned by range of a date column that holds `monthOf`.
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

function monthAfter(now: Date, months: number): string {
  return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)))
}

/**
 * Attached rather than created in place: that takes no lock which a reader of the table, such as a
 * long backup, would hold up together with all writers behind it. Whether it is there is read from
 * the catalogue's rows: to_regclass may answer from a cache that is older than our turn.
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
