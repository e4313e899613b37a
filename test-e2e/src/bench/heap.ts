/**
 * The memory that the hub's processes retain when all garbage is collected: a hub that retains data
 * of each payment grows without limit.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

const answer_ms_max = 10_000
const look_ms = 20

/** Flags of Node.js for a process that reports its heap. */
export function heapFlags(folder: string): readonly string[] {
  const teller = new URL('heap-teller.js', import.meta.url)
  teller.searchParams.set('folder', folder)
  return ['--expose-gc', '--import', teller.href]
}

/** Bytes that all of them retain together; throws when one does not report within 10 s. */
export async function liveHeap(pids: Iterable<number>, folder: string): Promise<number> {
  const told = await Promise.all([...pids].map((pid) => ask(pid, join(folder, `${pid}`))))
  return told.reduce((sum, bytes) => sum + bytes, 0)
}

async function ask(pid: number, file: string): Promise<number> {
  await rm(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  const until_ms = performance.now() + answer_ms_max
  while (performance.now() < until_ms) {
    const told = await readFile(file, 'utf8').catch(() => undefined)
    if (told !== undefined) return Number(told)
    await new Promise((resolve) => setTimeout(resolve, look_ms))
  }
  throw new Error(`process ${pid} does not report its heap`)
}
