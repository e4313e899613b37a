/** What the processes of a hub count about themselves (`counting.ts`), read by the bench. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Settings of `counting.ts`. */
export const folderVariable = 'CAUSEWAY_BENCH_COUNTS'
export const brokerPortVariable = 'CAUSEWAY_BENCH_BROKER_PORT'

/** Since the process began. */
export interface ProcessCounts {
  /** To PostgreSQL. */
  readonly round_trips: number
  readonly broker_requests: number
  /** By JavaScript; an estimate from samples. */
  readonly allocated_bytes: number
}

const file_ms_max = 10_000

/** Of all processes together. */
export async function readCounts(folder: string, pids: Iterable<number>): Promise<ProcessCounts> {
  const all = await Promise.all([...pids].map((pid) => countsOf(folder, pid)))
  const sum = (part: keyof ProcessCounts) => all.reduce((total, each) => total + each[part], 0)
  return {
    round_trips: sum('round_trips'),
    broker_requests: sum('broker_requests'),
    allocated_bytes: sum('allocated_bytes'),
  }
}

async function countsOf(folder: string, pid: number): Promise<ProcessCounts> {
  const file = join(folder, String(pid))
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (const until = Date.now() + file_ms_max; Date.now() < until; await wait(10)) {
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ProcessCounts
  }
  throw new Error(`process ${pid} of the hub does not say what it has counted`)
}
