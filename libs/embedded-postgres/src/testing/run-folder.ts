/**
 * Everything that a test run writes is in one folder, which is removed with the run. It is in memory where
 * there is room: for each database PostgreSQL creates and removes some hundred files, which took a
 * disk's file system more processor time than the tests took themselves.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const bytes_min = 4 * 1024 ** 3

/** The folder is the one for temporary files from now on, also for the processes that run tests. */
export function openRunFolder(): void {
  const parents = [tmpdir(), memory]
  for (const parent of parents) removeRunsThatWereKilled(parent)
  const parent = process.env['TMPDIR'] === undefined && hasRoom() ? memory : tmpdir()
  const folder = mkdtempSync(join(parent, `causeway-run-${process.pid}-`))
  // PostgreSQL may run as another user than the tests.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
}

export function removeRunFolder(): void {
  const folder = process.env['TMPDIR']
  if (folder?.includes('causeway-run-') !== true) return
  // On a busy machine a server may still be writing.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, freemem()) >= bytes_min
  } catch {
    return false
  }
}

/** Stops the PostgreSQL of a run that was killed. */
function removeRunsThatWereKilled(parent: string): void {
  for (const name of namesIn(parent)) {
    const run = /^causeway-run-(\d+)-/.exec(name)?.[1]
    if (run === undefined || isAlive(Number(run))) continue
    const folder = join(parent, name)
    for (const dataDir of namesIn(folder)) stopPostgres(join(folder, dataDir))
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // Another user owns it.
    }
  }
}

function stopPostgres(dataDir: string): void {
  try {
    const note = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8')
    process.kill(Number(note.split('\n')[0]), 'SIGQUIT')
  } catch {
    // There is no PostgreSQL any more, or the run belongs to another user.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'EPERM'
  }
}
