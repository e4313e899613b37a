/**
 * A process that holds a lock and works on its connection until it is killed:
 * `lock-holder.ts DATABASE_URL SCHEMA LOCK MIGRATIONS STATEMENT...`.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { openLog } from '@causeway/process'
import { openExclusive } from '../exclusive.ts'
import { statement } from '../statement.ts'

const [url = '', schema = '', lock = '', migrations = '', ...texts] = process.argv.slice(2)
const log = openLog({ name: 'holder', level: 'silent' })
const db = await openExclusive(
  { url, schema, lock, migrations: pathToFileURL(migrations), connections_max: 1 },
  { outbox: { write: () => Promise.reject(new Error('nothing is announced')) }, log },
)
const working = texts.map((text) => db.query(statement(text), []))
await wait(100)
process.stdout.write('works\n')
await Promise.all(working)
