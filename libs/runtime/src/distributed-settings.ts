/**
 * The settings of a process that is one of many: the same for every service, in addition to its
 * own.
 */
import {
  operationsSettings,
  choice,
  integer,
  text,
  type SettingValues,
  type TextSetting,
} from '@causeway/process'

export const distributedSettings = {
  DATABASE_URL: text({
    about: 'database of a service that names none of its own',
    default: '',
    secret: true,
  }),
  KAFKA_BROKERS: text({ about: 'host:port of some brokers, with commas between', default: null }),
  KAFKA_TOPIC_PREFIX: text({
    about: 'goes before every topic and group, so that several hubs may share brokers',
    default: '',
  }),
  KAFKA_TOPIC_PARTITIONS: integer({
    about: 'of each topic that is made; more of them is how a service may have more processes',
    unit: 'partitions',
    default: 12,
    min: 1,
    max: 1_000,
  }),
  KAFKA_REPLICAS: integer({
    about: 'of each partition that is made',
    unit: 'brokers',
    default: 3,
    min: 1,
    max: 9,
  }),
  KAFKA_MIN_INSYNC: integer({
    about: 'so many replicas have a message before it is acknowledged',
    unit: 'brokers',
    default: 2,
    min: 1,
    max: 9,
  }),
  KAFKA_RETENTION_H: integer({
    about: 'how long a topic that is made keeps its messages, whether they were read or not',
    unit: 'h',
    default: 168,
    min: 1,
    max: 8_760,
  }),
  KAFKA_COMPRESSION: choice({
    about: 'of what is sent; gzip spares the network and costs processors',
    options: ['none', 'gzip'],
    default: 'none',
  }),
  KAFKA_PUBLISH_TIMEOUT_MS: integer({
    about:
      'a message is acknowledged within that time or has failed; time-outs lie back by as much',
    unit: 'ms',
    default: 5_000,
    min: 100,
    max: 60_000,
  }),
  KAFKA_SESSION_MS: integer({
    about: 'a process that is silent for this long counts as dead, and others do its work',
    unit: 'ms',
    default: 10_000,
    min: 1_000,
    max: 300_000,
  }),
  KAFKA_TLS: choice({
    about: 'whether the brokers are spoken to over TLS',
    options: ['off', 'on'],
    default: 'off',
  }),
  KAFKA_TLS_CA_FILE: text({
    about: 'PEM file of those that a broker is trusted by; empty: those of Node.js',
    default: '',
  }),
  KAFKA_TLS_CERTIFICATE_FILE: text({
    about: 'PEM file of what this process shows to the brokers; empty: nothing',
    default: '',
  }),
  KAFKA_TLS_KEY_FILE: text({ about: 'PEM file of the key to it', default: '' }),
  KAFKA_SASL_MECHANISM: choice({
    about: 'how this process authenticates to the brokers, in addition to its certificate',
    options: ['none', 'plain', 'scram-sha-256', 'scram-sha-512'],
    default: 'none',
  }),
  KAFKA_SASL_USER: text({ about: 'its name', default: '' }),
  KAFKA_SASL_PASSWORD: text({ about: 'its password', default: '', secret: true }),
  REDIS_URL: text({
    about:
      'redis:// or rediss:// address of what processes of a service share; empty: each goes by what it knows itself',
    default: '',
    secret: true,
  }),
  REDIS_PREFIX: text({
    about: 'goes before every key, so that several hubs may share a Redis',
    default: 'causeway:',
  }),
  REDIS_TIMEOUT_MS: integer({
    about: 'nothing waits longer for Redis; then it is as if it knew nothing',
    unit: 'ms',
    default: 20,
    min: 1,
    max: 1_000,
  }),
  GRPC_HOST: text({
    about: 'address that the gRPC server listens on; 127.0.0.1 is this machine alone',
    default: '127.0.0.1',
  }),
  GRPC_PORT: integer({
    about: 'the gRPC server, for the other services',
    unit: 'port',
    default: 4_200,
    min: 0,
    max: 65_535,
  }),
  GRPC_ADVERTISED_HOST: text({
    about:
      'address by which replicas reach this one; empty: GRPC_HOST, or the first address of this ' +
      'machine when it listens on all',
    default: '',
  }),
  GRPC_TLS_CERTIFICATE_FILE: text({
    about: 'PEM file of what this process shows the others; its common name is the service',
    default: null,
  }),
  GRPC_TLS_KEY_FILE: text({ about: 'PEM file of the key to it', default: null }),
  GRPC_TLS_CA_FILE: text({
    about: 'PEM file of the authority that signed the certificates of all services',
    default: null,
  }),
  GRPC_TLS_RENEWAL_MS: integer({
    about: 'how often these files are looked at for new ones',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 86_400_000,
  }),
  METRICS_HOST: text({
    about: 'address that health, metrics and dead letters listen on',
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
        about: `${provider} over gRPC: host:port (every address of that name is used), or IPv4:port with commas between`,
        default: null,
      }),
    ]),
  )
}

export function grpcUrlName(provider: string): string {
  return `${provider.toUpperCase().replaceAll('-', '_')}_GRPC_URL`
}
