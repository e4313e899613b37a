/** Writes the page `schema.sql` of each package that has tables; a test fails while one of them differs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@causeway/embedded-postgres'
import { serviceDatabases, provisionDatabase } from '@causeway/postgres'
import { openLog } from '@causeway/process'
import { root, schemaFiles } from './schema-files.ts'

const log = openLog({ name: 'schema', level: 'error' })
const dataDir = mkdtempSync(join(tmpdir(), 'causeway-schema-'))
const server = await startServer({
  dataDir,
  durability: 'none',
  log,
  onExit: (reason) => {
    throw new Error(reason)
  },
})
const { socketFolder } = server
await provisionDatabase(socketFolder, 'schemas')
const databases = serviceDatabases({ socketFolder, database: 'schemas', log })
const outbox = { write: () => Promise.reject(new Error('nothing is announced')) }
const files = await schemaFiles((options) => databases.openDatabase(options, outbox))
for (const [path, text] of files) writeFileSync(new URL(path, root), text)
await databases.close()
await server.stop()
rmSync(dataDir, { recursive: true })
