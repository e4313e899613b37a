import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import {
  freePorts,
  testBroker,
  message,
  recorder,
  shopMigrations as migrations,
} from '@causeway/bus/testing'
import { mirrorService, type Items } from '@causeway/grpc/testing'
import { superuser, provisionDatabase, socketUrl, statement } from '@causeway/postgres'
import { temporaryFolder, testSocketFolder } from '@causeway/postgres/testing'
import { openLog, exitCodes, type HostProcess, readSettings, text } from '@causeway/process'
import { makeTestCa, eventually } from '@causeway/process/testing'
import { afterEach, expect, test } from '@jest/globals'
import { openDistributed, type DistributedParts } from './distributed.ts'
import { distributedSettings } from './distributed-settings.ts'
import { runDistributed } from './run-distributed.ts'
import type { ProcessParts } from './process-parts.ts'

const log = openLog({ name: 'test', level: 'silent' })
const topics = ['orders', 'bills']
const opened: { stop(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop()
})

/** The interface of Node.js to a process: signals in, output and an exit code out. */
class Host extends EventEmitter implements HostProcess {
  readonly argv: string[] = []
  readonly env: Readonly<Record<string, string>>
  readonly exits: number[] = []
  printed = ''
  readonly stdout = { write: () => true }
  readonly stderr = { write: (sentence: string) => (this.printed += sentence) }

  constructor(env: Readonly<Record<string, string>>) {
    super()
    this.env = { LOG_LEVEL: 'silent', ...env }
  }

  exit(code: number): void {
    this.exits.push(code)
  }
}

const authority = makeTestCa('Hub CA')

/** PEM files of a service, signed by the common authority. */
function identityFiles(name: string): Record<string, string> {
  const folder = temporaryFolder('grpc-tls')
  const { certificate, key } = authority.issue(name)
  const file = (of: string, content: string) => {
    writeFileSync(join(folder, of), content)
    return join(folder, of)
  }
  return {
    GRPC_TLS_CERTIFICATE_FILE: file('own.pem', certificate),
    GRPC_TLS_KEY_FILE: file('own.key', key),
    GRPC_TLS_CA_FILE: file('ca.pem', authority.certificate),
  }
}

/**
 * The environment of a process on the broker and the PostgreSQL of the run, with a database of its
 * own.
 */
async function environment(): Promise<Record<string, string>> {
  const name = `alone_${randomBytes(6).toString('hex')}`
  await provisionDatabase(testSocketFolder(), name)
  return {
    DATABASE_URL: socketUrl(testSocketFolder(), name, superuser),
    KAFKA_BROKERS: testBroker().address,
    KAFKA_TOPIC_PREFIX: `${name}.`,
    KAFKA_REPLICAS: '1',
    KAFKA_MIN_INSYNC: '1',
    KAFKA_TOPIC_PARTITIONS: '2',
    GRPC_PORT: '0',
    ...identityFiles('shop'),
  }
}

async function open(
  values: Readonly<Record<string, string>>,
  addressOf: (provider: string) => string,
): Promise<DistributedParts> {
  const sources = [{ origin: 'environment' as const, values }]
  const settings = readSettings(distributedSettings, { sources, prefixes: [] }).values
  const callersOf = () => ['shop']
  const servicesOf = () => ['shop']
  const own = { name: 'shop', settings, topics, addressOf, callersOf, servicesOf }
  const parts = await openDistributed({ ...own, log })
  opened.push(parts)
  return parts
}

async function expectEcho({ bus }: DistributedParts): Promise<void> {
  const { subscription, seen } = recorder('orders')
  await bus.subscribe(subscription)
  await bus.publish([message('orders', 'a', 1)])
  await eventually(() => seen.length === 1, 'the message')
}

test('One process publishes what another receives, and answers its calls', async () => {
  const values = await environment()
  const shop = await open(values, () => '')
  const office = await open({ ...values, DATABASE_URL: '' }, () => shop.grpcAddress)
  const { subscription, seen } = recorder('orders')
  await office.bus.subscribe(subscription)
  const database = await shop.openDatabase({
    url: '',
    schema: 'shop',
    migrations,
    connections_max: 2,
  })
  await database.transaction((tx) => {
    shop.bus.announce(tx, [message('orders', 'a', 1)])
    return Promise.resolve()
  })
  await eventually(() => seen.length === 1, 'the event')
  const echo = (request: Items) => Promise.resolve(request)
  shop.grpc.serve(mirrorService, { Reflect: echo, Other: echo })
  const call = office.grpc.client(mirrorService, 'shop').Reflect({ items: [] })
  await expect(call).resolves.toMatchObject({ items: [] })
  const report = await shop.health.readiness()
  expect(report.checks.map(({ name, ok }) => [name, ok])).toEqual([
    ['kafka', true],
    ['postgresql', true],
  ])
  expect(shop.progress()).toBeUndefined()
  await expect(
    office.openDatabase({ url: '', schema: 'office', migrations, connections_max: 1 }),
  ).rejects.toThrow('office needs a database: set OFFICE_DATABASE_URL or DATABASE_URL.')
})

test('A service that is alone in its process starts, reports its health, and stops on a signal', async () => {
  const port = await freePorts()
  const env = { ...(await environment()), METRICS_PORT: String(port), SHOP_GREETING: 'hello' }
  const host = new Host(env)
  const greetings: string[] = []
  const start = async (settings: { readonly SHOP_GREETING: string }, parts: ProcessParts) => {
    greetings.push(settings.SHOP_GREETING)
    const url = { url: '', schema: 'shop', migrations, connections_max: 2 }
    const database = await parts.openDatabase(url)
    await database.query(statement('select 1'), [])
    return { stop: () => database.close() }
  }
  const settings = { SHOP_GREETING: text({ about: 'its greeting', default: '' }) }
  await runDistributed(
    'shop',
    {
      settings,
      start,
      topics,
      providers: [],
      callersOf: () => [],
      servicesOf: () => ['shop'],
      operatorCheck: undefined,
    },
    host,
  )
  expect([greetings, host.printed, host.exits]).toEqual([['hello'], '', []])
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`)
  expect(answer.status).toBe(200)
  host.emit('SIGTERM')
  await eventually(() => host.exits.length === 1, 'the end')
  expect(host.exits).toEqual([exitCodes.stopped])
})

test('A missing database is reported when the process starts', async () => {
  const values = await environment()
  const nowhere = socketUrl(testSocketFolder(), 'nowhere', superuser)
  const parts = await open({ ...values, DATABASE_URL: nowhere }, () => '')
  const opening = parts.openDatabase({ url: '', schema: 'shop', migrations, connections_max: 1 })
  await expect(opening).rejects.toThrow('The database of shop cannot be used')
})

test("Connections to brokers use TLS with the process's own certificate, and nothing else", async () => {
  const { between, behind } = testBroker()
  const ca = makeTestCa('Kafka CA')
  const own = ca.issue('shop')
  const { certificate, key } = ca.issue('broker')
  const gate = createTlsServer(
    { ca: ca.certificate, cert: certificate, key, requestCert: true, rejectUnauthorized: true },
    (client) => {
      const broker = connect(behind, '127.0.0.1')
      client.pipe(broker).pipe(client)
      for (const socket of [client, broker]) {
        socket.on('error', () => undefined)
        socket.on('close', () => [client, broker].forEach((each) => each.destroy()))
      }
    },
  )
  gate.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => gate.listen(between, '127.0.0.1', resolve))
  const folder = temporaryFolder('kafka-tls')
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const values = {
    ...(await environment()),
    KAFKA_BROKERS: `127.0.0.1:${between}`,
    KAFKA_TLS: 'on',
    KAFKA_TLS_CA_FILE: file('ca.pem', ca.certificate),
    KAFKA_TLS_CERTIFICATE_FILE: file('own.pem', own.certificate),
    KAFKA_TLS_KEY_FILE: file('own.key', own.key),
  }
  const parts = await open(values, () => '')
  await expectEcho(parts)
  await parts.stop()
  await new Promise((resolve) => gate.close(resolve))
})

test('A process logs in to brokers that require it', async () => {
  const { withLogin } = testBroker()
  const values = {
    ...(await environment()),
    KAFKA_BROKERS: `127.0.0.1:${withLogin}`,
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USER: 'causeway',
    KAFKA_SASL_PASSWORD: 'causeway',
  }
  await expectEcho(await open(values, () => ''))
  const wrong = open({ ...values, KAFKA_SASL_PASSWORD: 'wrong' }, () => '')
  await expect(wrong).rejects.toThrow('Kafka refuses a request')
})

test('A process whose requests Kafka refuses reports that when it starts', async () => {
  const values = { ...(await environment()), KAFKA_REPLICAS: '3' }
  await expect(open(values, () => '')).rejects.toThrow('Kafka does not create the topic')
})
