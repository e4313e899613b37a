import { readSettings } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { distributedSettings } from './distributed-settings.ts'
import { insecureTransport } from './transport.ts'

const secure = {
  KAFKA_BROKERS: 'kafka-0.example:9093,kafka-1.example:9093',
  KAFKA_TLS: 'on',
  KAFKA_TLS_CERTIFICATE_FILE: 'own.pem',
  REDIS_URL: 'rediss://hub:secret@redis.example:6379',
  GRPC_TLS_CERTIFICATE_FILE: 'own.pem',
  GRPC_TLS_KEY_FILE: 'own.key',
  GRPC_TLS_CA_FILE: 'ca.pem',
}
const secureUrl = 'postgres://transfers:secret@postgres.example/hub?sslmode=verify-full'

function modesOf(values: Readonly<Record<string, string>>, databaseUrl = secureUrl) {
  const sources = [{ origin: 'environment' as const, values: { ...secure, ...values } }]
  const { values: settings } = readSettings(distributedSettings, { sources, prefixes: [] })
  return insecureTransport({ settings, databaseUrl }).map(({ mode }) => mode)
}

type Case = readonly [mode: string, values: Readonly<Record<string, string>>, databaseUrl?: string]

const cases: readonly Case[] = [
  ['KAFKA_TLS=off', { KAFKA_TLS: 'off' }],
  ['KAFKA_SASL_MECHANISM=none', { KAFKA_TLS_CERTIFICATE_FILE: '' }],
  ['KAFKA_TLS=off', { KAFKA_TLS: 'off', KAFKA_BROKERS: '127.0.0.1:9092,10.0.0.2:9092' }],
  ['a database URL without sslmode', {}, 'postgres://transfers:secret@postgres.example/hub'],
  ['sslmode=require', {}, 'postgres://t:secret@10.0.0.5/hub?sslmode=require'],
  ['sslmode=disable', {}, 'postgres://t@localhost/hub?host=10.0.0.5&sslmode=disable'],
  ['REDIS_URL=redis://', { REDIS_URL: 'redis://:secret@redis.example:6379' }],
  ['REDIS_URL without a password', { REDIS_URL: 'rediss://redis.example:6379' }],
]

test.each(cases)(
  'Off this machine %s is refused, and reported where it is accepted',
  (mode, values, url = secureUrl) => {
    expect(() => modesOf(values, url)).toThrow(`${mode} is refused: `)
    expect(() => modesOf(values, url)).toThrow('INSECURE_TRANSPORT=accepted')
    expect(modesOf({ ...values, INSECURE_TRANSPORT: 'accepted' }, url)).toEqual([mode])
  },
)

test('With TLS and an identity towards each a process starts, and nothing is reported', () => {
  expect(modesOf({})).toEqual([])
  const withPassword = { KAFKA_TLS_CERTIFICATE_FILE: '', KAFKA_SASL_MECHANISM: 'scram-sha-512' }
  expect(modesOf(withPassword)).toEqual([])
  expect(modesOf({ REDIS_URL: '' }, '')).toEqual([])
})

test('On this machine neither TLS nor an identity is needed', () => {
  const here = { KAFKA_TLS: 'off', KAFKA_BROKERS: '127.0.0.1:9092,[::1]:9093,localhost:9094' }
  expect(modesOf({ ...here, REDIS_URL: 'redis://127.0.0.1:6379' }, '')).toEqual([])
  expect(modesOf({}, 'postgres://t@localhost:5432/hub?sslmode=disable')).toEqual([])
  expect(modesOf({}, 'postgres://t@localhost/hub?host=%2Ftmp%2Fsocket&sslmode=disable')).toEqual([])
  expect(modesOf({}, 'postgres://t@[::1]:5432/hub')).toEqual([])
})
