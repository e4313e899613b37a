import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog, readSettings } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { busOptionsOf } from './distributed.ts'
import { hostOf } from './distributed-grpc.ts'
import { distributedSettings, grpcUrlName, grpcUrls } from './distributed-settings.ts'

const required = {
  KAFKA_BROKERS: 'one:9092',
  GRPC_TLS_CERTIFICATE_FILE: 'own.pem',
  GRPC_TLS_KEY_FILE: 'own.key',
  GRPC_TLS_CA_FILE: 'ca.pem',
}

function options(values: Readonly<Record<string, string>>) {
  const sources = [{ origin: 'environment' as const, values: { ...required, ...values } }]
  const settings = readSettings(distributedSettings, { sources, prefixes: [] }).values
  const log = openLog({ name: 'test', level: 'silent' })
  return busOptionsOf({
    name: 'transfers',
    services: ['transfers'],
    settings,
    topics: ['a'],
    log,
  })
}

test('Topics have three replicas, two of them in sync, by default', async () => {
  const { topics, brokers, compression } = await options({})
  expect(topics).toMatchObject({ catalogue: ['a'], replicas: 3, minInsync: 2, partitions: 12 })
  expect(brokers).toMatchObject({
    addresses: ['one:9092'],
    clientId: 'causeway-transfers',
    tls: undefined,
    login: undefined,
  })
  expect(compression).toBe('none')
})

test('Several brokers can be named', async () => {
  const { brokers } = await options({ KAFKA_BROKERS: 'one:9092, [::1]:9093' })
  expect(brokers.addresses).toEqual(['one:9092', '[::1]:9093'])
})

test.each([
  [{ KAFKA_BROKERS: 'one' }, "KAFKA_BROKERS is host:port, separated by commas; 'one' is not."],
  [{ KAFKA_REPLICAS: '1' }, 'KAFKA_MIN_INSYNC is 2, but KAFKA_REPLICAS is only 1'],
  [{ KAFKA_TLS: 'on', KAFKA_TLS_CA_FILE: '/nowhere' }, 'KAFKA_TLS_CA_FILE: '],
  [{ KAFKA_SASL_MECHANISM: 'plain' }, 'KAFKA_SASL_USER is not set.'],
])('The settings %j are refused with an error that names the setting', async (values, sentence) => {
  await expect(options(values)).rejects.toThrow(sentence)
})

test('The identity of the process comes from files and names in the settings', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-tls-'))
  const file = (name: string) => {
    writeFileSync(join(folder, name), `PEM of ${name}`)
    return join(folder, name)
  }
  const given = {
    KAFKA_TLS: 'on',
    KAFKA_TLS_CA_FILE: file('ca'),
    KAFKA_TLS_CERTIFICATE_FILE: file('certificate'),
    KAFKA_TLS_KEY_FILE: file('key'),
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USER: 'transfers',
    KAFKA_SASL_PASSWORD: 'secret',
  }
  const { brokers } = await options(given)
  rmSync(folder, { recursive: true })
  expect(brokers.tls).toEqual({
    ca: 'PEM of ca',
    certificate: 'PEM of certificate',
    key: 'PEM of key',
  })
  expect(brokers.login).toEqual({
    mechanism: 'scram-sha-512',
    user: 'transfers',
    password: 'secret',
  })
})

test.each([
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['[::1]', undefined, '::1'],
  ['0.0.0.0', 'ledger-0.hub.svc', 'ledger-0.hub.svc'],
])(
  'A process that listens on %s and advertises %j is reached by %s',
  (host, advertised, reached) => {
    expect(hostOf({ GRPC_HOST: host, GRPC_ADVERTISED_HOST: advertised })).toBe(reached)
  },
)

test('A process that listens on every address is reached by a specific one', () => {
  expect(hostOf({ GRPC_HOST: '0.0.0.0', GRPC_ADVERTISED_HOST: undefined })).toMatch(/^[1-9][\d.]+$/)
})

test('Each service that is called has a setting with its address', () => {
  expect(Object.keys(grpcUrls(['participant-lifecycle']))).toEqual([
    'PARTICIPANT_LIFECYCLE_GRPC_URL',
  ])
  expect(grpcUrlName('auth-service')).toBe('AUTH_SERVICE_GRPC_URL')
})
