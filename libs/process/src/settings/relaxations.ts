/**
 * What settings can relax of the security of a hub, all in one place: the start, the metric, readiness and
 * docs/hardening.md take it from here. Each says which address it concerns and how far that one may be
 * reached: `loopback` is never accepted beyond this machine, `private` beyond private networks only where
 * ACCEPT_RELAXATIONS names it, and `any` is reported alone.
 */
import { listIn } from './list-in.ts'
import { StartError } from '../start-error.ts'
import { text } from './settings.ts'

interface Relaxation {
  readonly consequence: string
  /** How far the address may be reached without a further statement. */
  readonly within: 'loopback' | 'private' | 'any'
  /** The setting, or what else says which address counts; with `any`: why none does. */
  readonly address: string
}

export const relaxations = {
  'EDGE_IDENTITY=header': {
    consequence: 'FSPIOP-Source is trusted without authentication, over plain http',
    within: 'loopback',
    address: 'FSP_HOST',
  },
  'EDGE_TLS=off': {
    consequence: 'the FSP port is plain http',
    within: 'loopback',
    address: 'FSP_HOST',
  },
  'JWS_VERIFY=off': {
    consequence: 'signatures are relayed without verification',
    within: 'loopback',
    address: 'FSP_HOST',
  },
  'EGRESS_LOOPBACK=allowed': {
    consequence: 'registered addresses may be those of services on this machine',
    within: 'loopback',
    address: 'FSP_HOST',
  },
  'OPERATOR_IDENTITY=none': {
    consequence: 'any caller of the operator port is the operator',
    within: 'loopback',
    address: 'OPERATOR_HOST',
  },
  'OPERATOR_TLS=off': {
    consequence: 'passwords and tokens of operators are sent in plain text',
    within: 'loopback',
    address: 'OPERATOR_HOST',
  },
  'EDGE_TLS=gateway': {
    consequence: 'the FSP port is plain http: only the gateway may reach it',
    within: 'private',
    address: 'FSP_HOST',
  },
  'EDGE_CERTIFICATES=any': {
    consequence: 'every certificate of the CA identifies an FSP, registered or not',
    within: 'private',
    address: 'FSP_HOST',
  },
  'JWS_SIGN=off': {
    consequence: 'messages of the hub are not signed',
    within: 'private',
    address: 'FSP_HOST',
  },
  'OPERATOR_TLS=gateway': {
    consequence: 'the operator port is plain http; only its gateway may reach it',
    within: 'private',
    address: 'OPERATOR_HOST',
  },
  'FOUR_EYES=optional': {
    consequence: 'one operator alone can change anything',
    within: 'private',
    address: 'OPERATOR_HOST; where services run apart: counts as public',
  },
  'EGRESS_HTTP=accepted': {
    consequence: 'callbacks and queries may be sent over plain http',
    within: 'private',
    address: 'that of each request',
  },
  'KAFKA_TLS=off': {
    consequence: 'events, payments among them, can be read and changed on their way to Kafka',
    within: 'private',
    address: 'KAFKA_BROKERS',
  },
  'KAFKA_SASL_MECHANISM=none': {
    consequence:
      'Kafka does not know this service, so that anybody who reaches it can forge events',
    within: 'private',
    address: 'KAFKA_BROKERS',
  },
  'DATABASE_URL=unverified': {
    consequence: 'the tables of the service can be read and changed on their way to PostgreSQL',
    within: 'private',
    address: 'the database URL',
  },
  'DATABASE_ROLE=superuser': {
    consequence: 'the service could read and change every database of that PostgreSQL',
    within: 'private',
    address: 'the database URL',
  },
  'DATABASE_ROLE=owner': {
    consequence: 'the service could change and drop its tables, the lines of the journal too',
    within: 'private',
    address: 'the database URL',
  },
  'REDIS_URL=redis://': {
    consequence:
      'what replicas share, the password too, can be read and changed on its way to Redis',
    within: 'private',
    address: 'REDIS_URL',
  },
  'REDIS_URL=without-password': {
    consequence: 'anybody who reaches Redis changes what replicas share',
    within: 'private',
    address: 'REDIS_URL',
  },
  'OPERATOR_PROOF=off': {
    consequence: 'services believe the name of the operator that admin gives',
    within: 'any',
    address: 'it concerns calls between services, which have mutual TLS',
  },
  EGRESS_ALLOWED: {
    consequence: 'registered addresses may be those of a private network',
    within: 'any',
    address: 'it names private addresses',
  },
  'COMPATIBILITY=mojaloop': {
    consequence:
      'signatures have no age and need not protect the destination, and DELETE needs none',
    within: 'any',
    address: 'who sends is authenticated as before',
  },
} as const satisfies Readonly<Record<string, Relaxation>>

export type RelaxationName = keyof typeof relaxations

export const acceptRelaxations = text({
  about:
    'relaxations, separated by commas, that are accepted although a public address can reach what they ' +
    'relax: EDGE_TLS=gateway,JWS_SIGN=off',
  default: '',
})

/** Throws StartError for a name that is no relaxation which can be accepted. */
export function acceptedIn(list: string): ReadonlySet<string> {
  const names = listIn(list)
  const wrong = names.find((name) => !isAcceptable(name))
  if (wrong !== undefined) {
    throw new StartError(
      `ACCEPT_RELAXATIONS names ${wrong}, which is no relaxation that can be accepted.`,
    )
  }
  return new Set(names)
}

function isAcceptable(name: string): boolean {
  return Object.entries(relaxations).some(
    ([known, { within }]) => known === name && within === 'private',
  )
}
