/** The clock of the database: one for all processes of a service. */
import type { Queries } from './database.ts'
import { statement } from './statement.ts'

const clock = statement(`select clock_timestamp()::timestamptz(3) as now`)

/** Now, with milliseconds. */
export async function readClock(db: Queries): Promise<Date> {
  const [row] = await db.query<{ readonly now: Date }>(clock, [])
  if (row === undefined) throw new Error('the database returned no time')
  return row.now
}
