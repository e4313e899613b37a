/** One PostgreSQL for a whole run of integration tests, in a folder and on a socket of its own. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '../log.ts'
import { startServer } from '../postgres/server.ts'
import { keepServer, socketFolderVariable } from './test-server.ts'

export default async function globalSetup(): Promise<void> {
  removeRunsThatWereKilled()
  const dataDir = mkdtempSync(join(tmpdir(), `causeway-test-${process.pid}-`))
  // PostgreSQL may run as another user than the tests.
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
  keepServer({ server, dataDir })
}

/** A run that was cut off could not stop its PostgreSQL. */
function removeRunsThatWereKilled(): void {
  for (const name of readdirSync(tmpdir())) {
    const run = /^causeway-test-(\d+)-/.exec(name)?.[1]
    if (run === undefined || isAlive(Number(run))) continue
    const dataDir = join(tmpdir(), name)
    try {
      const note = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8')
      process.kill(Number(note.split('\n')[0]), 'SIGQUIT')
    } catch {
      // There is no PostgreSQL any more, or the run belongs to somebody else.
    }
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'EPERM'
  }
}
