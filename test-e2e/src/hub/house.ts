/**
 * What stands around a hub whose services run apart, and how a program of it is started: as processes
 * beside the PostgreSQL and the broker of the run, or as containers (`containers.ts`).
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface House {
  /** What every service is told of what stands around it. */
  readonly settings: Readonly<Record<string, string>>
  /** Without a role: whoever may make roles and schemas. */
  databaseUrl(database: string, role?: string): string
  /** Makes a file of secrets readable for the services, and for nobody else. */
  handOver(file: string): void
  launch(program: Program): Promise<Running>
}

export interface Program {
  readonly name: string
  /** From the root of the repository: services/transfers/dist/main.js. */
  readonly main: string
  readonly environment: Readonly<Record<string, string>>
  /** Whatever it is told to read lies in here. */
  readonly folder: string
  readonly logFile: string
}

export interface Running {
  /** Resolves with its exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>
  readonly hasEnded: boolean
  signal(signal: 'SIGTERM' | 'SIGKILL'): void
}

const root = new URL('../../../', import.meta.url)

/** The PostgreSQL and the broker of the test run are in its environment. */
export const processes: House = {
  get settings() {
    return { KAFKA_BROKERS: `127.0.0.1:${process.env['CAUSEWAY_TEST_KAFKA_PORT'] ?? ''}` }
  },
  databaseUrl(database, role = 'postgres') {
    const host = encodeURIComponent(process.env['CAUSEWAY_TEST_SOCKET_FOLDER'] ?? '')
    return `postgres://${role}@localhost:5432/${database}?host=${host}&sslmode=disable`
  },
  handOver: () => undefined,
  launch({ main, environment, logFile }) {
    const log = openSync(logFile, 'a')
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', fileURLToPath(new URL(main, root))],
      { stdio: ['ignore', log, log], env: { PATH: process.env['PATH'], ...environment } },
    )
    closeSync(log)
    const running = {
      hasEnded: false,
      ended: new Promise<number | null>((resolve) => child.once('exit', resolve)),
      signal: (signal: NodeJS.Signals) => void child.kill(signal),
    }
    child.once('exit', () => (running.hasEnded = true))
    return Promise.resolve(running)
  },
}
