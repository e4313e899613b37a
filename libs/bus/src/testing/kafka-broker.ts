/** A Kafka broker of a test run: how it is started, and how tests find, kill and restart it. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeTestCa } from '@causeway/process/testing'

/** The environment of the test processes names them. */
export const brokerPortVariable = 'CAUSEWAY_TEST_KAFKA_PORT'
export const brokerFolderVariable = 'CAUSEWAY_TEST_KAFKA_FOLDER'

const script = fileURLToPath(new URL('../../../tooling/src/kafka-broker.mjs', import.meta.url))
const run = promisify(execFile)
/**
 * Ports of the broker, the controller, the proxy listener, the proxy itself, the listener for logins and
 * the listener for certificates.
 */
const ports = [0, 1, 2, 3, 4, 5] as const

/** The authority of the run, and its files next to the broker's data. */
export const caFiles = {
  name: 'Kafka of the tests',
  certificate: 'ca.pem',
  key: 'ca.key',
  broker: 'broker.pem',
} as const

/** The broker's own, and the authority that may issue those of its users. */
export function writeCertificates(folder: string): void {
  const ca = makeTestCa(caFiles.name)
  const broker = ca.issue('broker')
  mkdirSync(folder, { recursive: true })
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content)
  write(caFiles.certificate, ca.certificate)
  write(caFiles.key, ca.key)
  write(caFiles.broker, `${broker.key}${broker.certificate}`)
}

/** Needs the certificates; resolves when it accepts messages. */
export async function startBroker(port: number, folder: string): Promise<void> {
  await run(process.execPath, [script, 'start', String(port), folder])
}

export async function killBroker(folder: string): Promise<void> {
  await run(process.execPath, [script, 'kill', folder])
}

/** The broker of the run. */
export function testBroker() {
  const port = Number(process.env[brokerPortVariable])
  const folder = process.env[brokerFolderVariable]
  if (port > 0 && folder !== undefined) {
    const address = `127.0.0.1:${port}`
    const others = { behind: port + 2, between: port + 3, withLogin: port + 4, secure: port + 5 }
    return { port, folder, address, ...others }
  }
  throw new Error('Tests on Kafka are run by `npm run test:kafka`, which starts a broker')
}

/** The first of a few ports in a row on which nothing listens. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000)
    const free = await Promise.all(ports.map((at) => isFree(first + at)))
    if (free.every(Boolean)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
