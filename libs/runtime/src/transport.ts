/**
 * How a process reaches Kafka, PostgreSQL and Redis. Off this machine each needs TLS that verifies the
 * server, and an identity: who can read or write there reads and forges payments. Otherwise the start
 * is refused, unless INSECURE_TRANSPORT=accepted, which is reported among the insecure modes; at a public
 * address also unless ACCEPT_RELAXATIONS names the mode.
 */
import {
  isLoopbackHost,
  reachOfServer,
  refuseRelaxations,
  type Reach,
  type ResolveAll,
} from '@causeway/http'
import type { RoleRights } from '@causeway/postgres'
import {
  type InsecureMode,
  listIn,
  type RelaxationName,
  relaxations,
  StartError,
} from '@causeway/process'
import type { DistributedSettings } from './distributed-settings.ts'

export interface Transport {
  readonly settings: Pick<
    DistributedSettings,
    | 'ACCEPT_RELAXATIONS'
    | 'INSECURE_TRANSPORT'
    | 'KAFKA_BROKERS'
    | 'KAFKA_TLS'
    | 'KAFKA_TLS_CERTIFICATE_FILE'
    | 'KAFKA_SASL_MECHANISM'
    | 'REDIS_URL'
  >
  /** Of the services of the process. */
  readonly databaseUrls: readonly string[]
}

interface InsecureConnection extends InsecureMode {
  readonly shown: string
  readonly hosts: readonly string[]
}

/** Throws StartError for what is not secured and not accepted. */
export async function insecureTransport(
  transport: Transport,
  resolve?: ResolveAll,
): Promise<readonly InsecureMode[]> {
  const found = [
    ...ofKafka(transport),
    ...transport.databaseUrls.flatMap(ofPostgres),
    ...ofRedis(transport),
  ]
  const { INSECURE_TRANSPORT, ACCEPT_RELAXATIONS: accepted } = transport.settings
  const [first] = found
  if (first !== undefined && INSECURE_TRANSPORT === 'refused') {
    throw new StartError(
      `${shownOf(first)} is refused: ${relaxations[first.mode].consequence}. Secure it, or set INSECURE_TRANSPORT=accepted where nobody else reaches that network.`,
    )
  }
  for (const { mode, shown, hosts } of found) {
    refuseRelaxations([mode], { shown, reach: await furthest(hosts, resolve), accepted })
  }
  return found.map(({ mode, detail }) => (detail === undefined ? { mode } : { mode, detail }))
}

function shownOf({ mode, detail }: InsecureMode): string {
  return detail === undefined ? mode : `${mode} (${detail})`
}

async function furthest(hosts: readonly string[], resolve?: ResolveAll): Promise<Reach> {
  const reaches = await Promise.all(hosts.map((host) => reachOfServer(host, resolve)))
  const order: readonly Reach[] = ['public', 'private']
  return order.find((reach) => reaches.includes(reach)) ?? 'loopback'
}

/**
 * Reported where the role that serves is not apart from the one that owns the tables, off this machine.
 * Throws StartError for a public address where it is not accepted.
 */
export async function insecureRole(
  rights: RoleRights,
  {
    databaseUrl,
    settings,
  }: {
    readonly databaseUrl: string
    readonly settings: Pick<DistributedSettings, 'ACCEPT_RELAXATIONS'>
  },
  resolve?: ResolveAll,
): Promise<readonly InsecureMode[]> {
  const host = databaseHost(databaseUrl)
  if (rights === 'SERVES' || host === undefined) return []
  const mode = rights === 'OWNER' ? 'DATABASE_ROLE=owner' : 'DATABASE_ROLE=superuser'
  refuseRelaxations([mode], {
    shown: `The database at ${host}`,
    reach: await reachOfServer(host, resolve),
    accepted: settings.ACCEPT_RELAXATIONS,
  })
  return [{ mode }]
}

function ofKafka({ settings }: Transport): readonly InsecureConnection[] {
  const { KAFKA_BROKERS, KAFKA_TLS, KAFKA_TLS_CERTIFICATE_FILE, KAFKA_SASL_MECHANISM } = settings
  const hosts = listIn(KAFKA_BROKERS).map(hostIn)
  if (hosts.every(isLoopbackHost)) return []
  const isAnonymous = KAFKA_SASL_MECHANISM === 'none' && KAFKA_TLS_CERTIFICATE_FILE === undefined
  const at = { shown: `KAFKA_BROKERS=${KAFKA_BROKERS}`, hosts }
  return [
    ...modeIf(KAFKA_TLS === 'off', 'KAFKA_TLS=off', at),
    ...modeIf(KAFKA_TLS === 'on' && isAnonymous, 'KAFKA_SASL_MECHANISM=none', at),
  ]
}

/** Any other value of sslmode leaves the name of the server, or its certificate, unverified. */
function ofPostgres(databaseUrl: string): readonly InsecureConnection[] {
  const host = databaseHost(databaseUrl)
  if (host === undefined) return []
  const sslmode = new URL(databaseUrl).searchParams.get('sslmode') ?? ''
  return modeIf(sslmode !== 'verify-full', 'DATABASE_URL=unverified', {
    shown: `The database at ${host}`,
    hosts: [host],
    detail: sslmode === '' ? 'no sslmode' : `sslmode=${sslmode}`,
  })
}

/** Undefined: on this machine, or there is none. */
function databaseHost(databaseUrl: string): string | undefined {
  if (!URL.canParse(databaseUrl)) return undefined
  const { hostname, searchParams } = new URL(databaseUrl)
  const host = withoutBrackets(searchParams.get('host') ?? hostname)
  return host.startsWith('/') || host === '' || isLoopbackHost(host) ? undefined : host
}

function ofRedis({ settings: { REDIS_URL } }: Transport): readonly InsecureConnection[] {
  if (REDIS_URL === undefined || !URL.canParse(REDIS_URL)) return []
  const { protocol, hostname, password } = new URL(REDIS_URL)
  const host = withoutBrackets(hostname)
  if (isLoopbackHost(host)) return []
  const at = { shown: `Redis at ${host}`, hosts: [host] }
  return [
    ...modeIf(protocol === 'redis:', 'REDIS_URL=redis://', at),
    ...modeIf(password === '', 'REDIS_URL=without-password', at),
  ]
}

function modeIf(
  isOn: boolean,
  mode: RelaxationName,
  at: Omit<InsecureConnection, 'mode'>,
): readonly InsecureConnection[] {
  return isOn ? [{ mode, ...at }] : []
}

function hostIn(address: string): string {
  return withoutBrackets(address.slice(0, address.lastIndexOf(':')))
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}
