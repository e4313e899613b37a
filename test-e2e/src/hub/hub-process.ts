/**
 * The hub as a process of its own, started as `npm start` starts it, with free ports and a DATA_DIR
 * of its own. A test reads its state over the network only.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface HubUrls {
  readonly fsp: string
  readonly operator: string
  readonly metrics: string
}

export interface HubProcess {
  readonly pid: number
  readonly urls: HubUrls
  readonly dataDir: string
  /** The password of the first administrator, until it is changed. */
  readonly passwordFile: string
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** The exit code of the hub, however it ends. */
  readonly exited: Promise<number | null>
  /** What it has written to stderr so far. */
  errors(): string
}

export interface HubOptions {
  readonly dataDir: string
  readonly settings?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  readonly nodeFlags?: readonly string[]
  /** The folder of another checkout, whose hub is started. */
  readonly checkout?: string | undefined
}

const start_ms_max = 110_000
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A folder for the data of a hub; the caller removes it with `removeDataDir`. */
export async function newDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'causeway-e2e-'))
}

export async function removeDataDir(dataDir: string): Promise<void> {
  const line = await identifierIn(dataDir)
  // On a busy machine PostgreSQL may still be writing its last files.
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
  // No story may leave an identifier of a person in the log of its hub.
  if (line !== undefined) throw new Error(`the log names a person: ${line}`)
}

/** The identifiers of invented persons in the stories begin like this. */
const identifier = /\b1555\d{7,10}\b/

/** The first line of the log that has one. */
async function identifierIn(dataDir: string): Promise<string | undefined> {
  const log = await readFile(join(dataDir, 'causeway.log'), 'utf8').catch(() => '')
  return log.split('\n').find((one) => identifier.test(one))
}

/** Settings with free ports for a hub; a restart with the same settings has the same URLs. */
export async function freePorts(): Promise<Readonly<Record<string, string>>> {
  const [fsp, operator, metrics] = await Promise.all([freePort(), freePort(), freePort()])
  return { FSP_PORT: fsp, OPERATOR_PORT: operator, METRICS_PORT: metrics }
}

/**
 * Below the range that the kernel assigns to connections: a free port stays free until a hub
 * listens on it. Each worker of a test run uses a range of its own.
 */
const ports = portsOf(Number(process.env['JEST_WORKER_ID'] ?? 0))
let nextPort = randomInt(ports.first, ports.end)

function portsOf(worker: number): { readonly first: number; readonly end: number } {
  const first = 10_000 + 1_000 * (worker % 10)
  return { first, end: first + 1_000 }
}

/** A free port that was not returned before. */
export async function freePort(): Promise<string> {
  for (;;) {
    const port = nextPort
    nextPort = port + 1 < ports.end ? port + 1 : ports.first
    if (await isFree(port)) return String(port)
  }
}

/** Whether no process listens on it. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Starts the hub without the sandbox and waits until it prints its addresses. */
export async function startHub(options: HubOptions): Promise<HubProcess> {
  const flags = ['--no-sandbox', '--json', ...(options.flags ?? [])]
  const program = join(options.checkout ?? root, 'services/hub/dist/start.js')
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', ...(options.nodeFlags ?? []), program, ...flags],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        DATA_DIR: options.dataDir,
        ...options.settings,
      },
    },
  )
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const { urls } = await lastLine(child)
  const { pid } = child
  if (pid === undefined) throw new Error('the hub has no process id')
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return {
    pid,
    urls,
    dataDir: options.dataDir,
    passwordFile: join(options.dataDir, 'secrets', 'administrator-password'),
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    exited,
    errors: () => errors,
  }
}

/**
 * The line of JSON with which the hub reports that it is up; a hub that ends before that fails with
 * its errors.
 */
async function lastLine(child: ChildProcess): Promise<{ readonly urls: HubUrls }> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('the hub was started without pipes')
  let output = ''
  stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const late = setTimeout(() => child.kill('SIGKILL'), start_ms_max)
  try {
    for await (const line of createInterface({ input: stdout })) {
      if (line.startsWith('{')) return JSON.parse(line) as { readonly urls: HubUrls }
    }
  } finally {
    clearTimeout(late)
    stdout.resume()
  }
  throw new Error(`the hub did not start: ${output}`)
}
