/** One PostgreSQL for a whole run of integration tests, in a folder and on a socket of its own. */
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '../log.ts'
import { startServer } from '../postgres/server.ts'
import { keepServer, socketFolderVariable } from './test-server.ts'

export default async function globalSetup(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-test-'))
  // PostgreSQL may run as another user than the tests.
  chmodSync(dataDir, 0o755)
  const server = await startServer({
    dataDir,
    durability: 'none',
    log: openLog({ name: 'tests', level: 'warn' }),
    onExit: (reason) => {
      throw new Error(reason)
    },
  })
  process.env[socketFolderVariable] = server.socketFolder
  keepServer({ server, dataDir })
}
