/**
 * The access of a process to the brokers: one set of addresses, one identity, and endless retries for
 * everything that must not be lost. What is closed stays closed.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import type { Logger } from '@causeway/process'
import kafkajs, {
  type ISocketFactory,
  type Kafka,
  type KafkaConfig,
  type LogEntry,
  type RetryOptions,
} from 'kafkajs'

export interface BrokerTls {
  /** PEM of the authorities that may issue a broker's certificate; undefined: the public ones. */
  readonly ca: string | undefined
  /** PEM of the client certificate of this process; undefined: it has none. */
  readonly certificate: string | undefined
  readonly key: string | undefined
}

export interface BrokerLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly user: string
  readonly password: string
}

export interface BrokersOptions {
  /** host:port of some brokers; the others are discovered through them. */
  readonly addresses: readonly string[]
  readonly clientId: string
  readonly tls: BrokerTls | undefined
  readonly login: BrokerLogin | undefined
  readonly log: Logger
}

export interface Brokers {
  /**
   * Retries without end, at most a second apart, unless `retry` differs. Each producer, consumer
   * and admin takes a client of its own: kafkajs mixes up two consumers of one group that share a
   * client.
   */
  client(retry?: RetryOptions): Kafka
  readonly retry: RetryOptions
  /** Milliseconds since a broker last sent anything, on any connection. */
  silent_ms(): number
  /**
   * The same brokers with connections of their own: closing the parent closes these, but not the other
   * way round.
   */
  branch(): Brokers
  /** Closes every connection; they are opened again. */
  cut(): void
  /** Closes every connection for good, and so ends all endless retries. */
  close(): void
}

const keepAlive_ms = 60_000

export function openBrokers(options: BrokersOptions): Brokers {
  let received_ms = performance.now()
  return openBranch(options, {
    isClosed: () => false,
    onClosed: () => undefined,
    onReceived: () => (received_ms = performance.now()),
    silent_ms: () => performance.now() - received_ms,
  })
}

interface Stem {
  readonly isClosed: () => boolean
  readonly onClosed: (branch: Brokers) => void
  readonly onReceived: () => void
  readonly silent_ms: () => number
}

function openBranch(options: BrokersOptions, stem: Stem): Brokers {
  const sockets = new Set<Socket>()
  const branches = new Set<Brokers>()
  let closed = false
  const { onReceived, silent_ms } = stem
  const isClosed = () => closed || stem.isClosed()

  const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    if (isClosed()) throw new Error('the bus is closed')
    const socket = connect(host, port, ssl, onConnect)
    socket.setKeepAlive(true, keepAlive_ms)
    socket.on('data', onReceived)
    // kafkajs adds a listener for each attempt to close a socket that never connected.
    socket.setMaxListeners(0)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  function cut(): void {
    const error = Object.assign(new Error('the connection was cut'), { code: 'ECONNRESET' })
    for (const socket of sockets) socket.destroy(error)
    for (const branch of branches) branch.cut()
  }

  // kafkajs has no way to end an endless retry, but compares this value before each attempt.
  const tries = { valueOf: () => (isClosed() ? 0 : Number.MAX_SAFE_INTEGER) } as unknown as number
  const retry: RetryOptions = {
    initialRetryTime: 100,
    maxRetryTime: 1_000,
    retries: tries,
    // A consumer that kafkajs restarts by itself cannot be stopped meanwhile.
    restartOnFailure: () => Promise.resolve(false),
  }

  const brokers: Brokers = {
    client: (own = retry) => new kafkajs.Kafka({ ...configOf(options), socketFactory, retry: own }),
    retry,
    silent_ms,
    branch() {
      const onClosed = (branch: Brokers) => void branches.delete(branch)
      const branch = openBranch(options, { isClosed, onClosed, onReceived, silent_ms })
      branches.add(branch)
      return branch
    },
    cut,
    close() {
      closed = true
      cut()
      stem.onClosed(brokers)
    },
  }
  return brokers
}

function configOf({ addresses, clientId, tls, login, log }: BrokersOptions): KafkaConfig {
  return {
    brokers: [...addresses],
    clientId,
    connectionTimeout: 5_000,
    requestTimeout: 10_000,
    logLevel: kafkajs.logLevel.INFO,
    logCreator: () => (entry) => writeLog(log, entry),
    ...(tls === undefined ? {} : { ssl: secureOptions(tls) }),
    ...(login === undefined
      ? {}
      : {
          sasl: {
            mechanism: login.mechanism as 'plain',
            username: login.user,
            password: login.password,
          },
        }),
  }
}

function secureOptions({ ca, certificate, key }: BrokerTls): ConnectionOptions {
  const shown = certificate === undefined ? {} : { cert: certificate, key }
  return { ...(ca === undefined ? {} : { ca }), ...shown, minVersion: 'TLSv1.2' }
}

function connect(
  host: string,
  port: number,
  tls: ConnectionOptions | undefined | null,
  onConnect: () => void,
): Socket {
  // kafkajs passes null or undefined where there is no TLS.
  if (tls === undefined || tls === null) return connectTcp({ host, port }, onConnect)
  const name = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ host, port, ...name, ...tls }, onConnect)
}

/** What kafkajs logs as an error is mostly an attempt that will be repeated. */
function writeLog(
  log: Logger,
  { namespace, level, log: { message, timestamp, ...rest } }: LogEntry,
) {
  const { stack: _stack, ...known } = rest as { readonly stack?: unknown }
  const line = `kafkajs ${namespace}: ${message}`
  if (level === kafkajs.logLevel.ERROR) log.warn({ kafkajs: known, at: timestamp }, line)
  else log.debug({ kafkajs: known, at: timestamp }, line)
}
