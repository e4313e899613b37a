/**
 * gRPC in a process: one server for all its services, one connection to each process that it calls.
 * A call waits for its provider within its deadline, so the order in which services start is free.
 */
import type { Logger } from '../log.ts'
import { openClients } from './client.ts'
import type { Calls, Handlers } from './definition.ts'
import { openServer } from './server.ts'

/** What a service sees of it. */
export interface GrpcHost {
  /** Serves the methods of a definition, from now on. A handler that throws fails its call alone. */
  serve<D extends object>(service: D, handlers: Handlers<D>): void
  /**
   * The methods of a definition as calls to the service of that folder name. Nothing is connected
   * before the first call.
   */
  client<D extends object>(service: D, provider: string): Calls<D>
}

/** What the process sees of it. */
export interface OpenGrpcHost extends GrpcHost {
  /** Where others reach this server: `unix:/path` or `host:port`. */
  readonly address: string
  /** Takes no new calls, finishes those in flight (at most 10 s), closes every connection. */
  stop(): Promise<void>
}

export interface GrpcHostOptions {
  readonly log: Logger
  /** `unix:/path` or `host:port`; port 0 takes any free one. */
  readonly listen: string
  /** Where the service of that folder name is reached; asked once per provider. Default: here. */
  readonly addressOf?: (provider: string) => string
}

/** Throws StartError when the address cannot be listened on. */
export async function openGrpcHost(options: GrpcHostOptions): Promise<OpenGrpcHost> {
  const server = await openServer(options)
  const clients = openClients(options.addressOf ?? (() => server.address))
  return {
    address: server.address,
    serve: (service, handlers) => server.serve(service, handlers),
    client: (service, provider) => clients.client(service, provider),
    async stop() {
      await server.stop()
      clients.close()
    },
  }
}
