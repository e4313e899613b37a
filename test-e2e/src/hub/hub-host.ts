/**
 * The surroundings of a hub whose services run in separate processes, and how a program of it is
 * started: as a process that uses the PostgreSQL and the broker of the run, or as a container
 * (`containers.ts`).
 */
import { issueClientCertificate, makeCa } from '@causeway/pki'
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface HubHost {
  /** Settings that every service needs for its surroundings. */
  readonly settings: Readonly<Record<string, string>>
  /** Without a role: the URL of a user that may create roles and schemas. */
  databaseUrl(database: string, role?: string): string
  /**
   * How a service reaches the brokers, and as which user; `saveSecret` writes a file of secrets.
   */
  brokersFor(
    user: string,
    saveSecret: (name: string, content: string) => string,
  ): Readonly<Record<string, string>>
  /** Makes a file of secrets readable for the services only. */
  shareFile(file: string): void
  /** The address by which one service reaches another, which listens on that port. */
  reach(name: string, port: number): Promise<string>
  launch(program: Program): Promise<Running>
}

export interface Program {
  readonly name: string
  /** From the root of the repository: services/transfers/dist/main.js. */
  readonly main: string
  readonly environment: Readonly<Record<string, string>>
  /** Contains every file that its settings name. */
  readonly folder: string
  readonly logFile: string
  readonly nodeFlags?: readonly string[]
  /** The folder of another checkout, whose program it is. */
  readonly checkout?: string | undefined
}

export interface Running {
  /** Its process id on this machine; undefined: it runs elsewhere. */
  readonly pid?: number | undefined
  /** Resolves with its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  readonly hasEnded: boolean
  signal(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The PostgreSQL and the broker of the test run are named in its environment. */
export const processes: HubHost = {
  settings: {},
  /** The brokers identify a service by its certificate, and allow the provisioner everything. */
  brokersFor(user, saveSecret) {
    const folder = process.env['CAUSEWAY_TEST_KAFKA_FOLDER'] ?? ''
    const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 86_400_000) }
    const ca = makeCa({
      subject: { commonName: 'Kafka of the tests', organization: undefined },
      validity,
      key: readFileSync(join(folder, 'ca.key'), 'utf8'),
    })
    const subject = { commonName: user, organization: undefined }
    const own = issueClientCertificate(ca, { subject, validity })
    return {
      KAFKA_BROKERS: `127.0.0.1:${Number(process.env['CAUSEWAY_TEST_KAFKA_PORT']) + 5}`,
      KAFKA_TLS: 'on',
      KAFKA_TLS_CA_FILE: join(folder, 'ca.pem'),
      KAFKA_TLS_CERTIFICATE_FILE: saveSecret(`kafka-${user}.pem`, own.certificate),
      KAFKA_TLS_KEY_FILE: saveSecret(`kafka-${user}.key`, own.key),
    }
  },
  databaseUrl(database, role = 'postgres') {
    const host = encodeURIComponent(process.env['CAUSEWAY_TEST_SOCKET_FOLDER'] ?? '')
    return `postgres://${role}@localhost:5432/${database}?host=${host}&sslmode=disable`
  },
  shareFile: () => undefined,
  reach: (_name, port) => Promise.resolve(`127.0.0.1:${port}`),
  launch({ main, environment, logFile, nodeFlags = [], checkout = root }) {
    const log = openSync(logFile, 'a')
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', ...nodeFlags, join(checkout, main)],
      { stdio: ['ignore', log, log], env: { PATH: process.env['PATH'], ...environment } },
    )
    closeSync(log)
    const running = {
      pid: child.pid,
      hasEnded: false,
      ended: new Promise<number | null>((resolve) => child.once('exit', resolve)),
      signal: (signal: NodeJS.Signals) => void child.kill(signal),
    }
    child.once('exit', () => (running.hasEnded = true))
    return Promise.resolve(running)
  },
}
