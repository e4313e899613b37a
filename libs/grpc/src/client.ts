/**
 * Calls to other services: connections are opened at the first call, to every replica of an address. A
 * query that an outage interrupted is sent to the next replica; a call that changes something is only
 * repeated by its caller, which can decide whether that is safe.
 */
import { Client, Metadata, status, type ChannelOptions, type ServiceError } from '@grpc/grpc-js'
import { messageBounds } from './bounds.ts'
import { GrpcCallError } from './call-error.ts'
import {
  isQuestion,
  methodsOf,
  type CallOptions,
  type Calls,
  type MethodDefinition,
  type OutgoingCall,
} from './definition.ts'
import { channelCredentials, type GrpcIdentity } from './identity.ts'
import { faultOfChange, withOperator } from './operator.ts'
import { withOriginOf } from './origins.ts'
import { balancing, targetOf } from './target.ts'
import { withTraces } from './traces.ts'

export interface GrpcClients {
  client<D extends object>(service: D, provider: string, address: string): Calls<D>
  /** Calls to one replica of it, at its own address. */
  clientAt<D extends object>(service: D, provider: string, address: string): Calls<D>
  /** Calls in flight fail as outages. */
  close(): void
}

const deadline_ms_default = 2_000
/** Attempts of a query, the first one included. */
const tries_max = 3

const channelOptions: ChannelOptions = {
  ...messageBounds,
  ...balancing,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
}

/** A replica may be gone for ever: without calls no connection to it is attempted. */
const ofReplica: ChannelOptions = { 'grpc.client_idle_timeout_ms': 30_000 }

/** A call to a provider that is away waits for it until the deadline. */
const waiting = new Metadata({ waitForReady: true })
/** Calls to one replica do not wait: another one may have taken over from it. */
const atOnce = new Metadata()

export function openClients(identity: GrpcIdentity | undefined): GrpcClients {
  const channels = new Map<string, Client>()

  /** Without certificates all services of an address share a connection. */
  function channelTo(provider: string, address: string, further: ChannelOptions = {}): Client {
    const target = identity === undefined ? address : `${provider} ${address}`
    const open = channels.get(target)
    if (open !== undefined) return open
    const channel = new Client(targetOf(address), channelCredentials(identity, provider), {
      ...channelOptions,
      ...further,
      // `identity` checks the name; this one only must not be an IP address.
      ...(identity === undefined ? {} : { 'grpc.ssl_target_name_override': provider }),
    })
    channels.set(target, channel)
    return channel
  }

  return {
    client(service, provider, address) {
      let channel: Client | undefined
      const open = () => (channel ??= channelTo(provider, address))
      return callsBy(service, provider, over(open, waiting))
    },
    clientAt(service, provider, address) {
      const open = () => channelTo(provider, address, ofReplica)
      return callsBy(service, provider, over(open, atOnce))
    },
    close() {
      for (const channel of channels.values()) channel.close()
    },
  }
}

/** Sends a request to the provider and returns its response; rejects with a `ServiceError`. */
export type Way = (
  method: MethodDefinition,
  request: object,
  deadline_ms: number,
  traces: readonly string[] | undefined,
) => Promise<object>

/** The methods of a service as calls over this transport. */
export function callsBy<D extends object>(service: D, provider: string, way: Way): Calls<D> {
  const calls = [...methodsOf(service)].map(([name, method]) => {
    const once = (
      request: object,
      { deadline_ms = deadline_ms_default, traces }: CallOptions = {},
    ) =>
      way(method, request, deadline_ms, traces).catch((error: unknown) => {
        throw new GrpcCallError(provider, method.path, error as ServiceError)
      })
    const change = (request: object, options?: CallOptions) => {
      const fault = faultOfChange(method, request)
      return fault === undefined ? once(request, options) : Promise.reject(fault)
    }
    return [name, isQuestion(method) ? askingAgain(once) : change]
  })
  return Object.fromEntries(calls) as Calls<D>
}

/** Within the deadline of the first attempt; the next one uses another replica, if there is one. */
function askingAgain(once: OutgoingCall): OutgoingCall {
  return async (request, { deadline_ms = deadline_ms_default, ...rest } = {}) => {
    const until_ms = Date.now() + deadline_ms
    for (let tries = 1; ; tries++) {
      try {
        return await once(request, { ...rest, deadline_ms: until_ms - Date.now() })
      } catch (error) {
        const isCut = error instanceof GrpcCallError && error.code === status.UNAVAILABLE
        if (!isCut || tries === tries_max || Date.now() >= until_ms) throw error
      }
    }
  }
}

function over(open: () => Client, metadata: Metadata): Way {
  return (method, request, deadline_ms, traces) =>
    new Promise((resolve, reject) => {
      open().makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        withOperator(withOriginOf(traces === undefined ? metadata : withTraces(metadata, traces))),
        { deadline: Date.now() + deadline_ms },
        (error: ServiceError | null, response?: object) => {
          if (error !== null) reject(error)
          else if (response !== undefined) resolve(response)
        },
      )
    })
}
