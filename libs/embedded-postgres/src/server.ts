/**
 * The embedded PostgreSQL: a real server from npm on a socket that only its user and root can open,
 * one per DATA_DIR, run by the process that holds the hub's lock. After any crash, a start has a server
 * without a backend of an earlier process.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { askForHubLock } from '@causeway/postgres'
import { type Logger, StartError } from '@causeway/process'
import type { Client } from 'pg'
import {
  deleteData,
  failure,
  fullDisk,
  hasData,
  livePostmaster,
  makeData,
  spawnOptions,
  workingFolder,
} from './data-folder.ts'
import { findInstallation, type Installation } from './installation.ts'
import { asStartError, prepareDataFolder, type DataFolder } from './data-folder-owner.ts'
import { serverArguments, type Durability } from './server-settings.ts'
import { logLines, type ServerOutput } from './server-output.ts'

export type { Durability }

export interface ServerOptions {
  readonly dataDir: string
  readonly durability: Durability
  /** Connections that it allows (100). */
  readonly connections_max?: number
  /** Deletes DATA_DIR/pg first. */
  readonly fresh?: boolean
  readonly log: Logger
  /** The server, or the hub's lock on it, has ended unexpectedly: end the process. */
  readonly onExit: (reason: string) => void
}

export interface PostgresServer {
  /** Private to PostgreSQL's user and root; other sockets of the process may be here too. */
  readonly socketFolder: string
  /** Ends all connections and the server; what was committed stays. */
  stop(): Promise<void>
}

/** How long a running server of this data is tried for the hub's lock. */
const lock_ms = 5_000
/** Recovery after a crash reads at most max_wal_size. */
const start_ms = 300_000
const fastStop_ms = 30_000
const immediateStop_ms = 10_000
const startTries_max = 20
const startRetry_ms = 250

/** Throws StartError with one sentence for everything that an operator can repair. */
export async function startServer(options: ServerOptions): Promise<PostgresServer> {
  const dataFolder = prepareDataFolder(options.dataDir)
  const installation = findInstallation(dataFolder)
  let fresh = options.fresh === true
  for (let tries = 1; ; tries++) {
    await stopOldPostmaster(dataFolder)
    if (fresh) deleteData(dataFolder)
    fresh = false
    if (!hasData(dataFolder, installation)) {
      await makeData(dataFolder, installation, options.durability === 'fsync')
    }
    const running = await startOnce(dataFolder, installation, options)
    if (running !== undefined) return running
    if (tries === startTries_max) throw failure(dataFolder.dataDir, 'another server is using it')
    await wait(startRetry_ms)
  }
}

/** Stops a server whose hub is dead, so that none of its backends is left; otherwise refuses the start. */
async function stopOldPostmaster(dataFolder: DataFolder): Promise<void> {
  const old = livePostmaster(dataFolder)
  if (old === undefined) return
  const gone = () => livePostmaster(dataFolder)?.pid !== old.pid
  const { socketFolder } = old
  const answer = await askForHubLock({ socketFolder, lock_ms, connect_ms: lock_ms, gone })
  if (answer.type === 'held') {
    throw new StartError(
      `Causeway already runs on DATA_DIR ${dataFolder.dataDir} as process ${answer.process}.`,
    )
  }
  if (answer.type === 'silent') {
    if (gone()) return
    throw new StartError(
      `PostgreSQL runs on DATA_DIR ${dataFolder.dataDir} as process ${old.pid} but does not answer: stop that process.`,
    )
  }
  await stopProcess((signal) => process.kill(old.pid, signal), gone)
  await answer.connection.end()
  if (!gone()) {
    throw new StartError(
      `PostgreSQL on DATA_DIR ${dataFolder.dataDir}, process ${old.pid}, does not stop.`,
    )
  }
}

/**
 * Undefined when another process holds the data folder for the moment; then the start is repeated.
 */
async function startOnce(
  dataFolder: DataFolder,
  installation: Installation,
  options: ServerOptions,
): Promise<PostgresServer | undefined> {
  const { server, output } = spawnServer(dataFolder, installation, options)
  const ended = () => server.exitCode !== null || server.signalCode !== null || output.failed()
  const { socketFolder, dataDir } = dataFolder
  const answer = await askForHubLock({ socketFolder, lock_ms, connect_ms: start_ms, gone: ended })
  if (answer.type === 'given') {
    options.log.info(
      { data_dir: dataDir, durability: options.durability },
      options.durability === 'fsync'
        ? 'PostgreSQL runs with fsync: what is committed survives a power loss'
        : 'PostgreSQL runs WITHOUT fsync (DURABILITY=none): a power loss destroys the data',
    )
    return watched(dataFolder, server, output, answer.connection, options)
  }
  await stopProcess((signal) => server.kill(signal), ended)
  if (answer.type === 'held') {
    throw new StartError(
      `Causeway already runs on DATA_DIR ${dataDir} as process ${answer.process}.`,
    )
  }
  await output.closed
  if (/lock file "[^"]*" already exists|pre-existing shared memory/.test(output.text())) {
    return undefined
  }
  throw failure(dataDir, output.text())
}

function spawnServer(
  dataFolder: DataFolder,
  installation: Installation,
  { durability, connections_max, log }: ServerOptions,
): { readonly server: ChildProcess; readonly output: ServerOutput } {
  const { pgFolder, reachable, socketFolder, dataDir } = dataFolder
  const args = ['-D', reachable ? pgFolder : workingFolder]
  try {
    const server = spawn(
      installation.postgres,
      [...args, ...serverArguments(socketFolder, durability, connections_max)],
      {
        ...spawnOptions(dataFolder, pgFolder),
        // Ctrl-C in the terminal is for this process; it stops the server when its users have stopped.
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    return { server, output: logLines(server, log) }
  } catch (error) {
    throw asStartError(dataDir, error)
  }
}

/** The running server as its users see it. */
function watched(
  dataFolder: DataFolder,
  server: ChildProcess,
  output: ServerOutput,
  lock: Client,
  options: ServerOptions,
): PostgresServer {
  let stopping = false
  const report = (reason: string) => {
    if (stopping) return
    stopping = true
    options.onExit(`${reason}${fullDisk(dataFolder.dataDir, output.text())}`)
  }
  server.once('exit', (code, signal) => {
    report(`PostgreSQL ended unexpectedly (${signal ?? `exit code ${code}`})`)
  })
  lock.once('end', () => {
    report('The connection to PostgreSQL that holds the lock of the hub has ended')
  })
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null
  return {
    socketFolder: dataFolder.socketFolder,
    async stop() {
      stopping = true
      await lock.end()
      await stopProcess((signal) => server.kill(signal), hasEnded)
      if (!hasEnded()) await once(server, 'exit')
      await output.closed
      removeEmpty(dataFolder)
    },
  }
}

/** Removes the short path that replaced a long DATA_DIR; other processes may still use it. */
function removeEmpty({ dataDir, socketFolder }: DataFolder): void {
  if (socketFolder.startsWith(dataDir)) return
  try {
    rmdirSync(socketFolder)
  } catch {
    // It is not empty, or gone already.
  }
}

/**
 * A fast shutdown first: connections are closed and everything is written. Then an immediate one, after
 * which the next start recovers.
 */
async function stopProcess(
  kill: (signal: NodeJS.Signals) => unknown,
  hasEnded: () => boolean,
): Promise<void> {
  for (const [signal, bound_ms] of [
    ['SIGINT', fastStop_ms],
    ['SIGQUIT', immediateStop_ms],
  ] as const) {
    if (hasEnded()) return
    try {
      kill(signal)
    } catch {
      // It has ended in this moment.
    }
    const deadline = Date.now() + bound_ms
    while (!hasEnded() && Date.now() < deadline) await wait(10)
  }
}
