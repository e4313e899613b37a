/**
 * The settings of a process in a distributed hub: the same for every service, in addition to its own.
 */
import { operatorProof } from '@causeway/grpc'
import {
  acceptRelaxations,
  operationsSettings,
  choice,
  integer,
  optionalText,
  text,
  tlsRenewal,
  type SettingValues,
  type TextSetting,
} from '@causeway/process'

export const distributedSettings = {
  DATABASE_URL: text({
    about: 'database of a service without a URL of its own',
    default: '',
    secret: true,
  }),
  ACCEPT_RELAXATIONS: acceptRelaxations,
  INSECURE_TRANSPORT: choice({
    about:
      'whether Kafka, PostgreSQL and Redis on other machines may be used without TLS (database URLs: ' +
      'sslmode=verify-full) or, Kafka and Redis, without an identity; accepted is reported, and at a ' +
      'public address needs ACCEPT_RELAXATIONS too',
    options: ['refused', 'accepted'],
    default: 'refused',
  }),
  KAFKA_BROKERS: text({ about: 'host:port of some brokers, separated by commas', default: null }),
  KAFKA_TOPIC_PREFIX: text({
    about: 'prefix of every topic and group, so that several hubs can share brokers',
    default: '',
  }),
  KAFKA_TOPIC_PARTITIONS: integer({
    about: 'of each topic that is created; more partitions allow more processes of a service',
    unit: 'partitions',
    default: 12,
    min: 1,
    max: 1_000,
  }),
  KAFKA_REPLICAS: integer({
    about: 'of each partition that is created',
    unit: 'brokers',
    default: 3,
    min: 1,
    max: 9,
  }),
  KAFKA_MIN_INSYNC: integer({
    about: 'number of replicas that have a message before it is acknowledged',
    unit: 'brokers',
    default: 2,
    min: 1,
    max: 9,
  }),
  KAFKA_RETENTION_H: integer({
    about: 'how long a topic that is created retains its messages, read or not',
    unit: 'h',
    default: 168,
    min: 1,
    max: 8_760,
  }),
  KAFKA_COMPRESSION: choice({
    about: 'of sent messages; gzip saves network and costs processor time',
    options: ['none', 'gzip'],
    default: 'none',
  }),
  KAFKA_SESSION_MS: integer({
    about: 'a process that is silent for this long counts as dead, and others take over its work',
    unit: 'ms',
    default: 10_000,
    min: 1_000,
    max: 300_000,
  }),
  KAFKA_TLS: choice({
    about: 'whether the connections to the brokers use TLS',
    options: ['off', 'on'],
    default: 'off',
  }),
  KAFKA_TLS_CA_FILE: optionalText({
    about:
      'PEM file of the authorities that sign the certificates of the brokers; empty: those of Node.js',
  }),
  KAFKA_TLS_CERTIFICATE_FILE: optionalText({
    about: 'PEM file of the client certificate of this process for the brokers; empty: none',
  }),
  KAFKA_TLS_KEY_FILE: optionalText({ about: 'PEM file of the key of that certificate' }),
  KAFKA_SASL_MECHANISM: choice({
    about: 'how this process authenticates to the brokers, in addition to its certificate',
    options: ['none', 'plain', 'scram-sha-256', 'scram-sha-512'],
    default: 'none',
  }),
  KAFKA_SASL_USER: optionalText({ about: 'its name' }),
  KAFKA_SASL_PASSWORD: text({ about: 'its password', default: '', secret: true }),
  REDIS_URL: optionalText({
    about:
      'redis:// or rediss:// address of the memory that processes of a service share; empty: nothing is shared',
    secret: true,
  }),
  REDIS_PREFIX: text({
    about: 'prefix of every key, so that several hubs can share a Redis',
    default: 'causeway:',
  }),
  GRPC_HOST: text({
    about: 'address that the gRPC server listens on; 127.0.0.1 is for this machine only',
    default: '127.0.0.1',
  }),
  GRPC_PORT: integer({
    about: 'the gRPC server, for the other services',
    unit: 'port',
    default: 4_200,
    min: 0,
    max: 65_535,
  }),
  GRPC_ADVERTISED_HOST: optionalText({
    about:
      'address by which replicas reach this one; empty: GRPC_HOST, or the first address of this ' +
      'machine when it listens on all',
  }),
  GRPC_TLS_CERTIFICATE_FILE: text({
    about:
      'PEM file of the certificate of this process; its common name is the service, or the value of SERVICES',
    default: null,
  }),
  GRPC_TLS_KEY_FILE: text({ about: 'PEM file of the key of that certificate', default: null }),
  GRPC_TLS_CA_FILE: text({
    about: 'PEM file of the authority that signed the certificates of all services',
    default: null,
  }),
  OPERATOR_PROOF: operatorProof,
  TLS_RENEWAL_MS: tlsRenewal,
  METRICS_HOST: text({
    about: 'address that health and metrics listen on',
    default: '127.0.0.1',
  }),
  ...operationsSettings,
}

export type DistributedSettings = SettingValues<typeof distributedSettings>

/**
 * `<SERVICE>_GRPC_URL` for each service that is called.
 * @param providers their folder names
 */
export function grpcUrls(providers: readonly string[]): Readonly<Record<string, TextSetting>> {
  return Object.fromEntries(
    providers.map((provider) => [
      grpcUrlName(provider),
      text({
        about: `${provider} over gRPC: host:port (every address of that name is used), or several IPv4:port separated by commas`,
        default: null,
      }),
    ]),
  )
}

export function grpcUrlName(provider: string): string {
  return `${provider.toUpperCase().replaceAll('-', '_')}_GRPC_URL`
}
