import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBrokers, openKafkaBus, type KafkaBus, type TopicAccess } from '@causeway/bus/kafka'
import { caFiles, listenerTo, message, recorder, testBroker } from '@causeway/bus/testing'
import { temporaryFolder } from '@causeway/postgres/testing'
import { openLog, openMetrics, readSettings } from '@causeway/process'
import { makeTestCa, eventually } from '@causeway/process/testing'
import { afterEach, expect, test } from '@jest/globals'
import { distributedSettings, type DistributedSettings } from '../distributed-settings.ts'
import { busOptionsOf } from '../distributed.ts'
import { provisionKafka } from './kafka.ts'

const log = openLog({ name: 'test', level: 'silent' })
const topics = ['orders', 'bills']
const shop: TopicAccess = {
  user: 'shop',
  services: ['shop'],
  writes: ['orders'],
  reads: ['orders', 'bills'],
}
const office: TopicAccess = {
  user: 'back-office',
  services: ['back-office'],
  writes: ['bills'],
  reads: ['bills'],
}
const opened: KafkaBus[] = []

afterEach(async () => {
  for (const bus of opened.splice(0)) await bus.stop()
})

/** Over TLS, with a certificate of that name. */
function settingsOf(user: string, prefix: string): DistributedSettings {
  const { folder, secure } = testBroker()
  const key = readFileSync(join(folder, caFiles.key), 'utf8')
  const own = makeTestCa(caFiles.name, key).issue(user)
  const files = temporaryFolder('kafka-user')
  const file = (name: string, content: string) => {
    writeFileSync(join(files, name), content)
    return join(files, name)
  }
  const values = {
    KAFKA_BROKERS: `127.0.0.1:${secure}`,
    KAFKA_TOPIC_PREFIX: prefix,
    KAFKA_TOPIC_PARTITIONS: '2',
    KAFKA_REPLICAS: '1',
    KAFKA_MIN_INSYNC: '1',
    KAFKA_TLS: 'on',
    KAFKA_TLS_CA_FILE: join(folder, caFiles.certificate),
    KAFKA_TLS_CERTIFICATE_FILE: file('own.pem', own.certificate),
    KAFKA_TLS_KEY_FILE: file('own.key', own.key),
    GRPC_TLS_CERTIFICATE_FILE: 'none',
    GRPC_TLS_KEY_FILE: 'none',
    GRPC_TLS_CA_FILE: 'none',
  }
  const sources = [{ origin: 'environment' as const, values }]
  return readSettings(distributedSettings, { sources, prefixes: [] }).values
}

async function open(user: string, prefix: string): Promise<KafkaBus> {
  const settings = settingsOf(user, prefix)
  const options = await busOptionsOf({ name: user, services: [user], settings, topics, log })
  const metrics = openMetrics({ ofProcess: false })
  const engine = await openKafkaBus({ ...options, metrics, brokers: openBrokers(options.brokers) })
  opened.push(engine)
  return engine
}

const newPrefix = () => `rights-${randomBytes(6).toString('hex')}.`
const provision = (prefix: string, access: readonly TopicAccess[]) =>
  provisionKafka(settingsOf('provisioner', prefix), { topics, access }, log)

test('A service writes only its granted topics, reads its own, and receives broadcasts and stores dead letters', async () => {
  const prefix = newPrefix()
  await provision(prefix, [shop, office])
  const { bus } = await open('shop', prefix)
  const other = await open('back-office', prefix)
  const orders = recorder('orders', {
    group: 'shop',
    handleBatch: () => Promise.reject(new Error('no')),
  })
  const bills = listenerTo(['bills'], { group: 'shop' })
  await bus.subscribe(orders.subscription)
  await bus.subscribeBroadcast(bills.listening)
  await bus.publish([message('orders', 'a', 1)])
  await other.bus.publish([message('bills', 'b', 2)])
  await eventually(() => bills.received.length === 1, 'the bill')
  await eventually(async () => (await bus.deadLetters(1)).length === 1, 'the dead letter')
  expect(await bus.replay('shop', 'orders/a/1')).toBe(true)
  const refused = bus.publish([message('bills', 'b', 3)])
  await expect(refused).rejects.toThrow('Kafka refuses this process: TOPIC_AUTHORIZATION_FAILED')
  await bus.publish([message('orders', 'a', 4)])
  expect(bills.received.length).toBe(1)
})

test('Rights that are no longer granted are revoked, and topics that were not provisioned are not created', async () => {
  const prefix = newPrefix()
  await provision(prefix, [shop, office])
  const { bus } = await open('shop', prefix)
  await bus.publish([message('orders', 'a', 1)])
  await provision(prefix, [{ ...shop, writes: [] }, office])
  const isRefused = () =>
    bus.publish([message('orders', 'a', 2)]).then(
      () => undefined,
      (error: unknown) => String(error).includes('TOPIC_AUTHORIZATION_FAILED') || undefined,
    )
  await eventually(isRefused, 'the refusal')
  await expect(open('shop', newPrefix())).rejects.toThrow('Kafka does not create the topic')
})

test('The rights of a hub with its own prefix stay when another hub is provisioned', async () => {
  const prefix = newPrefix()
  await provision(prefix, [shop, office])
  const before = await open('shop', prefix)
  await before.bus.publish([message('orders', 'a', 1)])
  await provision(newPrefix(), [shop, office])
  const after = await open('shop', prefix)
  await after.bus.publish([message('orders', 'a', 2)])
  const orders = recorder('orders', { group: 'shop' })
  await after.bus.subscribe(orders.subscription)
  await eventually(() => orders.seen.length === 2, 'both orders')
})
