/**
 * DATA_DIR/pg: created whole or not at all, retained between starts, and never used by two servers
 * at once.
 */
import { spawn } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { StartError } from '@causeway/process'
import type { Installation } from './installation.ts'
import { inWords, makePrivateFolder, type DataFolder } from './data-folder-owner.ts'

/** A postmaster that runs on this data folder. */
export interface Postmaster {
  readonly pid: number
  readonly socketFolder: string
}

/** The path under which a server started in the folder finds it, also where parents are closed. */
export const workingFolder = '/proc/self/cwd'

/** Options for PostgreSQL's programs: their user, the folder, no inherited environment. */
export function spawnOptions({ account }: DataFolder, folder: string) {
  return {
    cwd: folder,
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  }
}

/** The running postmaster of the data folder; the pid file of a dead one is removed. */
export function livePostmaster(dataFolder: DataFolder): Postmaster | undefined {
  const note = join(dataFolder.pgFolder, 'postmaster.pid')
  let lines: readonly string[]
  try {
    lines = readFileSync(note, 'utf8').split('\n')
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return inWords(dataFolder.dataDir, () => {
      throw error
    })
  }
  const pid = Number(lines[0])
  if (isPostmasterOf(pid, dataFolder.pgFolder)) {
    const socketFolder = lines[4]?.trim() ?? ''
    return { pid, socketFolder: isAbsolute(socketFolder) ? socketFolder : dataFolder.socketFolder }
  }
  // PostgreSQL would mistake any process with this number for its own.
  rmSync(note, { force: true })
  return undefined
}

/** Process numbers are reused, so the process must also work in this folder. */
function isPostmasterOf(pid: number, pgFolder: string): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false
  if (existsSync('/proc/self/cwd')) {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(pgFolder)
    } catch (error) {
      return (error as { code?: unknown }).code === 'EACCES'
    }
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.includes('postgres')
}

/** Throws StartError when the data was made by another major version. */
export function hasData(
  { pgFolder, dataDir }: DataFolder,
  { majorVersion }: Installation,
): boolean {
  const versionFile = join(pgFolder, 'PG_VERSION')
  const version = inWords(dataDir, () =>
    existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined,
  )
  if (version === undefined || version === majorVersion) return version !== undefined
  throw new StartError(
    `The data in ${pgFolder} was made by PostgreSQL ${version}, and this is PostgreSQL ${majorVersion}.`,
  )
}

export function deleteData({ pgFolder, dataDir }: DataFolder): void {
  inWords(dataDir, () => rmSync(pgFolder, { recursive: true, force: true }))
}

/**
 * The folder gets its name when it is complete, so that an interrupted start leaves no data.
 */
export async function makeData(
  dataFolder: DataFolder,
  installation: Installation,
  synced: boolean,
): Promise<void> {
  const { dataDir, pgFolder, account } = dataFolder
  const unfinished = `${pgFolder}.init-${process.pid}`
  inWords(dataDir, () => {
    removeUnfinished(dataFolder)
    makePrivateFolder(unfinished, account)
  })
  const { code, output } = await initdb(dataFolder, installation, unfinished, synced)
  if (code === 0) {
    inWords(dataDir, () => giveName(unfinished, pgFolder))
    return
  }
  rmSync(unfinished, { recursive: true, force: true })
  throw failure(dataDir, output)
}

/** Another process that started at the same time may have been faster; then its data is used. */
function giveName(unfinished: string, pgFolder: string): void {
  try {
    renameSync(unfinished, pgFolder)
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function initdb(
  dataFolder: DataFolder,
  installation: Installation,
  folder: string,
  synced: boolean,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const args = [
    `--pgdata=${dataFolder.reachable ? folder : workingFolder}`,
    '--username=postgres',
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
    '--no-instructions',
    ...(synced ? [] : ['--no-sync']),
  ]
  const child = spawn(installation.initdb, args, {
    ...spawnOptions(dataFolder, folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** Removes folders of killed starts, but not that of a start in progress in another process. */
function removeUnfinished({ dataDir }: DataFolder): void {
  for (const name of readdirSync(dataDir)) {
    const pid = Number(/^pg\.init-(\d+)$/.exec(name)?.[1])
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue
    rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

const diskIsFull = /No space left on device|Disk quota exceeded/

/**
 * The addition to an error if PostgreSQL reported that its disk is full; otherwise ''.
 */
export function fullDisk(dataDir: string, output: string): string {
  return diskIsFull.test(output) ? `: the disk of DATA_DIR ${dataDir} is full` : ''
}

/** The error of a program of PostgreSQL that ended with output on stderr. */
export function failure(dataDir: string, output: string): StartError {
  if (diskIsFull.test(output)) {
    return new StartError(`The disk of DATA_DIR ${dataDir} is full.`)
  }
  if (/Permission denied|Read-only file system|EACCES/.test(output)) {
    return new StartError(
      `PostgreSQL has no right to work in DATA_DIR ${dataDir} (${lastWords(output)}).`,
    )
  }
  return new StartError(`PostgreSQL did not start on DATA_DIR ${dataDir} (${lastWords(output)}).`)
}

/** The line with the reason; PostgreSQL's own prefix is left out. */
function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((each) => /FATAL|PANIC|error/.test(each)) ?? lines.at(-1)
  return line?.replace(/^.*?(FATAL|PANIC|error):\s*/, '').trim() ?? 'no reason was given'
}
