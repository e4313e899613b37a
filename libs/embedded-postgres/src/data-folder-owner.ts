/**
 * The folders of the embedded PostgreSQL and the user that runs it. PostgreSQL refuses to run as
 * root, so a root process gives its folders to an unprivileged user; any other user runs it as
 * itself.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, existsSync, lstatSync, mkdirSync, statSync, type Stats } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '@causeway/process'

/** The user that PostgreSQL runs as. */
export interface SystemUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

export interface DataFolder {
  readonly dataDir: string
  /** DATA_DIR/pg */
  readonly pgFolder: string
  /** Whether PostgreSQL's user can walk to DATA_DIR; if not, it is started inside its folder. */
  readonly reachable: boolean
  readonly socketFolder: string
  /** Undefined when PostgreSQL runs as the user of this process. */
  readonly account: SystemUser | undefined
}

/** A socket's path has 104 bytes on some systems; the longest name in the folder takes the rest. */
const socketFolder_bytes_max = 90

/** Finds the user and makes the folders. Throws StartError where one is not available. */
export function prepareDataFolder(dataDirectory: string): DataFolder {
  const dataDir = resolve(dataDirectory)
  const pgFolder = join(dataDir, 'pg')
  inWords(dataDir, () => makeFolder(dataDir))
  const account = process.getuid?.() === 0 ? accountFor(pgFolder) : undefined
  if (account === undefined) refuseDataOfOthers(pgFolder)
  const reachable = account === undefined || canEnter(account, dataDir)
  if (!reachable && process.platform !== 'linux') {
    throw new StartError(
      `The user ${account.name}, which runs PostgreSQL, cannot reach DATA_DIR ${dataDir}: set DATA_DIR to a folder that all users can reach.`,
    )
  }
  const socketFolder = socketFolderOf(dataDir, reachable)
  makeSocketFolder(socketFolder, account)
  return { dataDir, pgFolder, reachable, socketFolder, account }
}

/** DATA_DIR/run, or a short path where that is too long or out of reach of PostgreSQL's user. */
export function socketFolderOf(dataDir: string, reachable = true): string {
  const inDataDir = join(dataDir, 'run')
  if (reachable && Buffer.byteLength(inDataDir) <= socketFolder_bytes_max) return inDataDir
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  return join(tmpdir(), `causeway-${hash}`)
}

/** Creates it with all parents; Node's own option for that misreports read-only file systems. */
function makeFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    makeFolder(dirname(path))
    makeUnlessThere(path, 0o755)
  } else if (!found.isDirectory()) {
    throw new StartError(`DATA_DIR ${path} is not a folder.`)
  }
}

/** A folder for PostgreSQL's user alone. */
export function makePrivateFolder(path: string, account: SystemUser | undefined): void {
  mkdirSync(path, { mode: 0o700 })
  if (account !== undefined) chownSync(path, account.uid, account.gid)
}

/** Throws a StartError with the reason why the file system refused the work. */
export function inWords<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asStartError(folder, error)
  }
}

export function asStartError(folder: string, error: unknown): unknown {
  const { code } = error as { readonly code?: unknown }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartError(`There is no right to write to DATA_DIR ${folder}.`)
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartError(`The disk of DATA_DIR ${folder} is full.`)
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartError(`DATA_DIR ${folder} is not a folder.`)
    default:
      return code === undefined || !(error instanceof Error)
        ? error
        : new StartError(`DATA_DIR ${folder} cannot be used (${error.message}).`)
  }
}

function refuseDataOfOthers(pgFolder: string): void {
  const owner = inWords(pgFolder, () => statSync(pgFolder, { throwIfNoEntry: false }))
  if (owner === undefined || owner.uid === process.getuid?.()) return
  throw new StartError(
    `The data in ${pgFolder} belongs to the user with id ${owner.uid}: start as that user or as root.`,
  )
}

/** The owner of the data runs it; else the user `postgres`, else `nobody`. */
function accountFor(pgFolder: string): SystemUser {
  const owner = existsSync(pgFolder) ? statSync(pgFolder) : undefined
  if (owner !== undefined && owner.uid !== 0) {
    return { name: `with id ${owner.uid}`, uid: owner.uid, gid: owner.gid }
  }
  const account = accountNamed('postgres') ?? accountNamed('nobody')
  if (account !== undefined) return account
  throw new StartError(
    'PostgreSQL cannot run as root, and this system has neither a user postgres nor a user nobody.',
  )
}

function accountNamed(name: string): SystemUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
    return status === 0 ? Number(stdout) : undefined
  })
  return uid === undefined || gid === undefined || uid === 0 ? undefined : { name, uid, gid }
}

function canEnter({ uid, gid }: SystemUser, folder: string): boolean {
  const options = { uid, gid, cwd: '/' }
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], options).status === 0
}

/**
 * If this process's own user owns the folder, another start may have created it and not changed its owner
 * yet, or was killed before it did: the process that finds it changes the owner.
 */
function makeSocketFolder(path: string, account: SystemUser | undefined): void {
  const found = makeOrFind(path)
  const own = process.getuid?.()
  const uid = account?.uid ?? own
  const isOurs = uid === undefined || found.uid === uid || found.uid === own
  if (!found.isDirectory() || !isOurs) {
    throw new StartError(`The socket folder ${path} belongs to another user: remove it.`)
  }
  if ((found.mode & 0o077) !== 0) {
    throw new StartError(`The socket folder ${path} is open to other users: remove it.`)
  }
  if (account !== undefined && found.uid !== uid) chownSync(path, account.uid, account.gid)
}

function makeOrFind(path: string): Stats {
  try {
    makeUnlessThere(path, 0o700)
    return lstatSync(path)
  } catch (error) {
    throw new StartError(`The socket folder ${path} cannot be made (${(error as Error).message}).`)
  }
}

/** Two processes may start on one DATA_DIR at the same time. */
function makeUnlessThere(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
