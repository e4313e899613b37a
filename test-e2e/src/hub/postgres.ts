/** The PostgreSQL of the embedded hub: where it runs, and how it runs without the hub. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/** The process id of PostgreSQL and the folder of its socket, from its postmaster.pid. */
export function postmasterOf(dataDir: string): {
  readonly pid: number
  readonly socketFolder: string
} {
  const lines = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8').split('\n')
  return { pid: Number(lines[0]), socketFolder: lines[4] ?? '' }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
