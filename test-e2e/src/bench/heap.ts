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
  const reporter = new URL('heap-reporter.js', import.meta.url)
  reporter.searchParams.set('folder', folder)
  return ['--expose-gc', '--import', reporter.href]
}

/** Bytes that all of them retain together; throws when one does not report within 10 s. */
export async function liveHeap(pids: Iterable<number>, folder: string): Promise<number> {
  const sizes = await Promise.all([...pids].map((pid) => ask(pid, join(folder, `${pid}`))))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

async function ask(pid: number, file: string): Promise<number> {
  await rm(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  const until_ms = performance.now() + answer_ms_max
  while (performance.now() < until_ms) {
    const size = await readFile(file, 'utf8').catch(() => undefined)
    if (size !== undefined) return Number(size)
    await new Promise((resolve) => setTimeout(resolve, look_ms))
  }
  throw new Error(`process ${pid} does not report its heap`)
}
