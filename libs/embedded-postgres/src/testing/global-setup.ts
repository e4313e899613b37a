/** One PostgreSQL for a whole run of integration tests, in a folder and on a socket of its own. */
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { socketFolderVariable } from '@causeway/postgres/testing'
import { openLog } from '@causeway/process'
import { startServer } from '../server.ts'
import { openRunFolder } from './run-folder.ts'
import { keepServer } from './run-server.ts'

export async function startTestServer(): Promise<void> {
  openRunFolder()
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-test-'))
  chmodSync(dataDir, 0o755)
  const server = await startServer({
    dataDir,
    durability: 'none',
    log: openLog({ name: 'tests', level: 'error' }),
    onExit: (reason) => {
      throw new Error(reason)
    },
  })
  process.env[socketFolderVariable] = server.socketFolder
  keepServer(server)
}
