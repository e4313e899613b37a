import type { RoleRights } from '@causeway/postgres'
import { readSettings } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { distributedSettings } from './distributed-settings.ts'
import { insecureRole, insecureTransport } from './transport.ts'

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

const resolve = (name: string) =>
  Promise.resolve(name.endsWith('.public.example') ? ['10.0.0.9', '192.0.2.9'] : ['10.0.0.9'])

async function modesOf(values: Readonly<Record<string, string>>, databaseUrl = secureUrl) {
  const sources = [{ origin: 'environment' as const, values: { ...secure, ...values } }]
  const { values: settings } = readSettings(distributedSettings, { sources, prefixes: [] })
  const found = await insecureTransport({ settings, databaseUrls: [databaseUrl] }, resolve)
  return found.map(({ mode, detail }) => (detail === undefined ? mode : `${mode} (${detail})`))
}

type Case = readonly [mode: string, values: Readonly<Record<string, string>>, databaseUrl?: string]

const cases: readonly Case[] = [
  ['KAFKA_TLS=off', { KAFKA_TLS: 'off' }],
  ['KAFKA_SASL_MECHANISM=none', { KAFKA_TLS_CERTIFICATE_FILE: '' }],
  ['KAFKA_TLS=off', { KAFKA_TLS: 'off', KAFKA_BROKERS: '127.0.0.1:9092,10.0.0.2:9092' }],
  ['DATABASE_URL=unverified (no sslmode)', {}, 'postgres://transfers:secret@postgres.example/hub'],
  [
    'DATABASE_URL=unverified (sslmode=require)',
    {},
    'postgres://t:secret@10.0.0.5/hub?sslmode=require',
  ],
  [
    'DATABASE_URL=unverified (sslmode=disable)',
    {},
    'postgres://t@localhost/hub?host=10.0.0.5&sslmode=disable',
  ],
  ['REDIS_URL=redis://', { REDIS_URL: 'redis://:secret@redis.example:6379' }],
  ['REDIS_URL=without-password', { REDIS_URL: 'rediss://redis.example:6379' }],
]

test.each(cases)(
  'Off this machine %s is refused, and reported where it is accepted',
  async (mode, values, url = secureUrl) => {
    const refused = modesOf(values, url)
    await expect(refused).rejects.toThrow(`${mode} is refused: `)
    await expect(refused).rejects.toThrow('INSECURE_TRANSPORT=accepted')
    expect(await modesOf({ ...values, INSECURE_TRANSPORT: 'accepted' }, url)).toEqual([mode])
  },
)

const inPublic: readonly Case[] = [
  ['KAFKA_TLS=off', { KAFKA_TLS: 'off', KAFKA_BROKERS: '10.0.0.2:9092,192.0.2.1:9092' }],
  ['KAFKA_TLS=off', { KAFKA_TLS: 'off', KAFKA_BROKERS: 'kafka.public.example:9092' }],
  ['DATABASE_URL=unverified', {}, 'postgres://t@192.0.2.1/hub?sslmode=require'],
  ['REDIS_URL=redis://', { REDIS_URL: 'redis://:secret@redis.public.example:6379' }],
]

test.each(inPublic)(
  'At a public address %s is refused although it is accepted, unless it is named',
  async (mode, values, url = secureUrl) => {
    const accepted = { ...values, INSECURE_TRANSPORT: 'accepted' }
    await expect(modesOf(accepted, url)).rejects.toThrow(`or state ACCEPT_RELAXATIONS=${mode}.`)
    const named = await modesOf({ ...accepted, ACCEPT_RELAXATIONS: mode }, url)
    expect(named.map((each) => each.split(' ')[0])).toEqual([mode])
  },
)

test('A role that owns its tables is reported off this machine, and refused at a public address unless it is named', async () => {
  const modeOf = (rights: RoleRights, host: string, accepted = '') =>
    insecureRole(
      rights,
      {
        databaseUrl: `postgres://t@${host}/hub?sslmode=verify-full`,
        settings: { ACCEPT_RELAXATIONS: accepted },
      },
      resolve,
    )
  expect(await modeOf('OWNER', '127.0.0.1')).toEqual([])
  expect(await modeOf('SERVES', '192.0.2.1')).toEqual([])
  expect(await modeOf('OWNER', 'postgres.example')).toEqual([{ mode: 'DATABASE_ROLE=owner' }])
  expect(await modeOf('SUPERUSER', '10.0.0.5')).toEqual([{ mode: 'DATABASE_ROLE=superuser' }])
  await expect(modeOf('OWNER', 'db.public.example')).rejects.toThrow('DATABASE_ROLE=owner')
  await expect(modeOf('SUPERUSER', '192.0.2.1')).rejects.toThrow('DATABASE_ROLE=superuser')
  expect(await modeOf('OWNER', '192.0.2.1', 'DATABASE_ROLE=owner')).toHaveLength(1)
})

test('With TLS and an identity towards each a process starts, and nothing is reported', async () => {
  expect(await modesOf({})).toEqual([])
  const withPassword = { KAFKA_TLS_CERTIFICATE_FILE: '', KAFKA_SASL_MECHANISM: 'scram-sha-512' }
  expect(await modesOf(withPassword)).toEqual([])
  expect(await modesOf({ REDIS_URL: '' }, '')).toEqual([])
})

test('On this machine neither TLS nor an identity is needed', async () => {
  const here = { KAFKA_TLS: 'off', KAFKA_BROKERS: '127.0.0.1:9092,[::1]:9093,localhost:9094' }
  expect(await modesOf({ ...here, REDIS_URL: 'redis://127.0.0.1:6379' }, '')).toEqual([])
  expect(await modesOf({}, 'postgres://t@localhost:5432/hub?sslmode=disable')).toEqual([])
  expect(
    await modesOf({}, 'postgres://t@localhost/hub?host=%2Ftmp%2Fsocket&sslmode=disable'),
  ).toEqual([])
  expect(await modesOf({}, 'postgres://t@[::1]:5432/hub')).toEqual([])
})
