/** How the set-up of a test run hands its Kafka broker to the tests, which may kill it and bring it back. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The environment of the test processes names them. */
export const brokerPortVariable = 'CAUSEWAY_TEST_KAFKA_PORT'
export const brokerFolderVariable = 'CAUSEWAY_TEST_KAFKA_FOLDER'

const script = fileURLToPath(new URL('../../../tooling/src/kafka-broker.mjs', import.meta.url))
const run = promisify(execFile)
/**
 * Its own, the controller's, that for who comes in between, where that one listens, that for log-ins, that
 * for certificates.
 */
const ports = [0, 1, 2, 3, 4, 5] as const

/** The authority of the run, and its files beside the broker's data. */
export const caFiles = {
  name: 'Kafka of the tests',
  certificate: 'ca.pem',
  key: 'ca.key',
  broker: 'broker.pem',
} as const

export async function startBroker(port: number, folder: string): Promise<void> {
  await run(process.execPath, [script, 'start', String(port), folder])
}

export async function stopBroker(folder: string): Promise<void> {
  await run(process.execPath, [script, 'stop', folder])
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

/** The first of a few ports in a row that nobody listens on. */
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
