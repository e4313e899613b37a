/**
 * gRPC in a process: one server for all its services, one connection to each process that it calls. A
 * call waits for its provider within its deadline, so services can start in any order. Calls to services of
 * this process stay in it.
 */
import type { Logger } from '@causeway/process'
import { callsBy, openClients } from './client.ts'
import type { Calls, Handlers } from './definition.ts'
import type { GrpcIdentity } from './identity.ts'
import type { OperatorCheck } from './operator.ts'
import { openServer, type OnCallerRefused } from './server.ts'
import { openInProcessTransport } from './in-process-transport.ts'

/** The interface for services. */
export interface GrpcHost {
  /**
   * Serves the methods of a definition, from now on. A handler that throws fails its call alone.
   */
  serve<D extends object>(service: D, handlers: Handlers<D>): void
  /**
   * The methods of a definition as calls to the service of that folder name. Nothing is connected
   * before the first call.
   */
  client<D extends object>(service: D, provider: string): Calls<D>
  /** The same, to one replica by its own address. */
  clientAt<D extends object>(service: D, provider: string, address: string): Calls<D>
  /**
   * From now on a call of that service proves for which operator it is, where the check demands it. Calls
   * within this process need no proof: it is one party.
   */
  checkOperators(check: OperatorCheck): void
  /** The address of this process for others: `unix:/path` or `host:port`. */
  readonly address: string
}

/** The interface for the process. */
export interface OpenGrpcHost extends GrpcHost {
  /** Takes no new calls and finishes those in flight (at most 3 s); it still calls others. */
  drain(): Promise<void>
  /** Takes no new calls, finishes those in flight (at most 10 s), closes every connection. */
  stop(): Promise<void>
}

export interface GrpcHostOptions {
  readonly log: Logger
  /** `unix:/path` or `host:port`; port 0 takes any free one. */
  readonly listen: string
  /**
   * The address of the service with that folder name; undefined: it runs in this process. Default: all do.
   */
  readonly addressOf?: (provider: string) => string | undefined
  /** The host by which others reach this server; default: the one that it listens on. */
  readonly reachedAt?: string
  /** Mutual TLS with every peer; without it, any caller that reaches the address is admitted. */
  readonly identity?: GrpcIdentity
  /** Called when a caller was refused that the method does not name. */
  readonly onCallerRefused?: OnCallerRefused
}

/**
 * A call that takes longer is an outage for its caller: the rest of the stop needs time as well.
 */
const drain_ms_max = 3_000
const stop_ms_max = 10_000

/** Throws StartError when the address cannot be listened on. */
export async function openGrpcHost(options: GrpcHostOptions): Promise<OpenGrpcHost> {
  const server = await openServer(options)
  const address = reachedAs(server.address, options.reachedAt)
  const { addressOf = () => undefined } = options
  const within = openInProcessTransport(options.log)
  const clients = openClients(options.identity)
  return {
    address,
    serve(service, handlers) {
      server.serve(service, handlers)
      within.serve(service, handlers)
    },
    checkOperators: (check) => server.checkOperators(check),
    client(service, provider) {
      const other = addressOf(provider)
      return other === undefined
        ? callsBy(service, provider, within.call)
        : clients.client(service, provider, other)
    },
    clientAt: (service, provider, address) => clients.clientAt(service, provider, address),
    async drain() {
      await Promise.all([server.stop(drain_ms_max), within.stop(drain_ms_max)])
    },
    async stop() {
      await Promise.all([server.stop(stop_ms_max), within.stop(stop_ms_max)])
      clients.close()
    },
  }
}

function reachedAs(address: string, host: string | undefined): string {
  if (host === undefined || address.startsWith('unix:')) return address
  const port = address.slice(address.lastIndexOf(':') + 1)
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
