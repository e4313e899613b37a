/**
 * How a process reaches Kafka, PostgreSQL and Redis. Off this machine each needs TLS that verifies the
 * server, and an identity: who can read or write there reads and forges payments. Otherwise the start
 * is refused, unless INSECURE_TRANSPORT=accepted, which is reported among the insecure modes.
 */
import { isLoopbackHost } from '@causeway/http'
import { StartError, type InsecureMode } from '@causeway/process'
import type { DistributedSettings } from './distributed-settings.ts'

export interface Transport {
  readonly settings: Pick<
    DistributedSettings,
    | 'INSECURE_TRANSPORT'
    | 'KAFKA_BROKERS'
    | 'KAFKA_TLS'
    | 'KAFKA_TLS_CERTIFICATE_FILE'
    | 'KAFKA_SASL_MECHANISM'
    | 'REDIS_URL'
  >
  /** Of the service; empty: it has no database. */
  readonly databaseUrl: string
}

/** Throws StartError for what is not secured and not accepted. */
export function insecureTransport(transport: Transport): readonly InsecureMode[] {
  const modes = [...ofKafka(transport), ...ofPostgres(transport), ...ofRedis(transport)]
  const [first] = modes
  if (first === undefined) return []
  if (transport.settings.INSECURE_TRANSPORT === 'refused') {
    throw new StartError(
      `${first.mode} is refused: ${first.consequence}. Secure it, or set INSECURE_TRANSPORT=accepted where nobody else reaches that network.`,
    )
  }
  return modes
}

function ofKafka({ settings }: Transport): readonly InsecureMode[] {
  const { KAFKA_BROKERS, KAFKA_TLS, KAFKA_TLS_CERTIFICATE_FILE, KAFKA_SASL_MECHANISM } = settings
  const hosts = KAFKA_BROKERS.split(',').map((address) => hostIn(address.trim()))
  if (hosts.every(isLoopbackHost)) return []
  const isAnonymous = KAFKA_SASL_MECHANISM === 'none' && KAFKA_TLS_CERTIFICATE_FILE === ''
  return [
    ...modeIf(
      KAFKA_TLS === 'off',
      'KAFKA_TLS=off',
      'events, payments among them, can be read and changed on their way to Kafka',
    ),
    ...modeIf(
      KAFKA_TLS === 'on' && isAnonymous,
      'KAFKA_SASL_MECHANISM=none',
      'Kafka does not know this service, so that anybody who reaches it can forge events',
    ),
  ]
}

/** Any other value of sslmode leaves the name of the server, or its certificate, unverified. */
function ofPostgres({ databaseUrl }: Transport): readonly InsecureMode[] {
  if (!URL.canParse(databaseUrl)) return []
  const { hostname, searchParams } = new URL(databaseUrl)
  const host = searchParams.get('host') ?? hostname
  const isSocket = host.startsWith('/') || host === ''
  const sslmode = searchParams.get('sslmode') ?? ''
  return modeIf(
    !isSocket && !isLoopbackHost(withoutBrackets(host)) && sslmode !== 'verify-full',
    sslmode === '' ? 'a database URL without sslmode' : `sslmode=${sslmode}`,
    'the tables of the service can be read and changed on their way to PostgreSQL',
  )
}

function ofRedis({ settings: { REDIS_URL } }: Transport): readonly InsecureMode[] {
  if (!URL.canParse(REDIS_URL)) return []
  const { protocol, hostname, password } = new URL(REDIS_URL)
  if (isLoopbackHost(withoutBrackets(hostname))) return []
  return [
    ...modeIf(
      protocol === 'redis:',
      'REDIS_URL=redis://',
      'what replicas share, the password too, can be read and changed on its way to Redis',
    ),
    ...modeIf(
      password === '',
      'REDIS_URL without a password',
      'anybody who reaches Redis changes what replicas share',
    ),
  ]
}

function modeIf(isOn: boolean, mode: string, consequence: string): readonly InsecureMode[] {
  return isOn ? [{ mode, consequence }] : []
}

function hostIn(address: string): string {
  return withoutBrackets(address.slice(0, address.lastIndexOf(':')))
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}
