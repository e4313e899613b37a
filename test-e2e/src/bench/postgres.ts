/** The PostgreSQL of the embedded hub without the hub. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { postmasterOf } from './database.ts'

export interface Postgres {
  /** Process id of the postmaster. */
  readonly pid: number
  readonly socketFolder: string
  /** Writes everything and ends. */
  stop(): Promise<void>
}

const program = fileURLToPath(
  new URL('../../../libs/embedded-postgres/dist/testing/server-process.js', import.meta.url),
)
const look_ms = 50

export async function startPostgres(
  dataDir: string,
  durability: 'fsync' | 'none',
  connections_max = 100,
): Promise<Postgres> {
  const child = spawn(process.execPath, [program, dataDir, durability, `${connections_max}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  if (!output.toString().startsWith('ready')) throw new Error(output.toString())
  const { pid, socketFolder } = postmasterOf(dataDir)
  return {
    pid,
    socketFolder,
    async stop() {
      child.kill('SIGKILL')
      process.kill(pid, 'SIGINT')
      while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, look_ms))
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
