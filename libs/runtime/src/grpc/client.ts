/** Calls to other services: one connection to each address, made at the first call. */
import {
  Client,
  credentials,
  Metadata,
  type ChannelOptions,
  type ServiceError,
} from '@grpc/grpc-js'
import { messageBounds } from './bounds.ts'
import { GrpcCallError } from './call-error.ts'
import { methodsOf, type CallOptions, type Calls, type MethodDefinition } from './definition.ts'

export interface GrpcClients {
  client<D extends object>(service: D, provider: string): Calls<D>
  /** Calls in flight fail as outages. */
  close(): void
}

const deadline_ms_default = 2_000

const channelOptions: ChannelOptions = {
  ...messageBounds,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
}

/** Who calls while the provider is away waits for it, until the deadline. */
const waiting = new Metadata({ waitForReady: true })

export function openClients(addressOf: (provider: string) => string): GrpcClients {
  const channels = new Map<string, Client>()

  function channelTo(provider: string): Client {
    const address = addressOf(provider)
    const open = channels.get(address)
    if (open !== undefined) return open
    const channel = new Client(address, credentials.createInsecure(), channelOptions)
    channels.set(address, channel)
    return channel
  }

  function client<D extends object>(service: D, provider: string): Calls<D> {
    let channel: Client | undefined
    const calls = [...methodsOf(service)].map(([name, method]) => [
      name,
      (request: object, options?: CallOptions) =>
        call((channel ??= channelTo(provider)), provider, method, request, options),
    ])
    return Object.fromEntries(calls) as Calls<D>
  }

  return {
    client,
    close() {
      for (const channel of channels.values()) channel.close()
    },
  }
}

function call(
  channel: Client,
  provider: string,
  method: MethodDefinition,
  request: object,
  { deadline_ms = deadline_ms_default }: CallOptions = {},
): Promise<object> {
  return new Promise((resolve, reject) => {
    channel.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      waiting,
      { deadline: Date.now() + deadline_ms },
      (error: ServiceError | null, response?: object) => {
        if (error !== null) reject(new GrpcCallError(provider, method.path, error))
        else if (response !== undefined) resolve(response)
      },
    )
  })
}
