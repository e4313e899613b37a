/** The SQL of the key for shared answers: one row, made by the process that starts first. */
import { randomBytes } from 'node:crypto'
import { statement, type Database } from '@causeway/postgres'

const insert = statement(`
  insert into shared_answers_key (key) values ($1::bytea) on conflict (is_only) do nothing`)
const select = statement(`select key from shared_answers_key`)

export async function sharedAnswersKey(db: Database): Promise<Buffer> {
  await db.query(insert, [randomBytes(32)])
  const [row] = await db.query<{ readonly key: Buffer }>(select, [])
  if (row === undefined) throw new Error('the key for shared answers was not stored')
  return row.key
}
