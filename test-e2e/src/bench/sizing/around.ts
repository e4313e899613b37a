/** What stands around services that run apart: a PostgreSQL with fsync and a Kafka broker of their own. */
import { issueClientCertificate, makeCa } from '@causeway/pki'
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { removeDataDir, newDataDir } from '../../hub/hub-process.ts'
import { processes, type House } from '../../hub/house.ts'
import { startPostgres } from './postgres.ts'

export interface Around {
  readonly postmaster: number
  readonly broker: number
  readonly house: House
  /** Numbers of the processes that were launched and live, by name. */
  readonly pids: ReadonlyMap<string, number>
  close(): Promise<void>
}

const run = promisify(execFile)
const file = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const brokerScript = file('libs/tooling/src/kafka-broker.mjs')
/** The broker's own port, and those that it takes behind it. */
const portsOfBroker = 6

export async function openAround(): Promise<Around> {
  const folder = await newDataDir()
  chmodSync(folder, 0o755)
  const undo: (() => Promise<unknown>)[] = [() => removeDataDir(folder)]
  const close = async () => {
    for (let next = undo.pop(); next !== undefined; next = undo.pop()) await next()
  }
  try {
    const postgres = await startPostgres(join(folder, 'postgres'), 'fsync')
    undo.push(() => postgres.stop())
    const kafka = join(folder, 'kafka')
    const port = await freePorts()
    writeBrokerCertificates(kafka)
    await run(process.execPath, [brokerScript, 'start', String(port), kafka])
    undo.push(() => run(process.execPath, [brokerScript, 'kill', kafka]))
    process.env['CAUSEWAY_TEST_SOCKET_FOLDER'] = postgres.socketFolder
    process.env['CAUSEWAY_TEST_KAFKA_FOLDER'] = kafka
    process.env['CAUSEWAY_TEST_KAFKA_PORT'] = String(port)
    const broker = Number(readFileSync(join(kafka, 'pid'), 'utf8'))
    const pids = new Map<string, number>()
    undo.push(() => Promise.resolve([...pids.values()].forEach(kill)))
    return { postmaster: postgres.pid, broker, house: counting(pids), pids, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Whoever interrupts finds nothing left: the work, then the end. Gives what takes that back. */
export function heedSignals(clear: () => Promise<unknown>): () => void {
  const end = () => void clear().finally(() => process.exit(130))
  process.once('SIGINT', end).once('SIGTERM', end)
  return () => void process.off('SIGINT', end).off('SIGTERM', end)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** The house of the stories, that also says which process is which. */
function counting(pids: Map<string, number>): House {
  return {
    ...processes,
    async launch(program) {
      const running = await processes.launch(program)
      if (running.pid !== undefined) pids.set(program.name, running.pid)
      return running
    },
  }
}

function writeBrokerCertificates(folder: string): void {
  const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 86_400_000) }
  const subject = (commonName: string) => ({ commonName, organization: undefined })
  const ca = makeCa({ subject: subject('Kafka of the tests'), validity })
  const names = { dns: ['localhost'], ip: ['127.0.0.1'] }
  const broker = issueClientCertificate(ca, { subject: subject('broker'), names, validity })
  mkdirSync(folder, { recursive: true })
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
  write('ca.pem', ca.certificate)
  write('ca.key', ca.key)
  write('broker.pem', `${broker.key}${broker.certificate}`)
}

async function freePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000)
    const ports = Array.from({ length: portsOfBroker }, (_, n) => first + n)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
