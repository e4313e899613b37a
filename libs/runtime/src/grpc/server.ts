/** The gRPC server of a process: every service of the process, health, and reflection. */
import {
  Server,
  setLogger,
  status,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { Logger } from '../log.ts'
import { isOutage } from '../postgres/outage.ts'
import { StartError } from '../start-error.ts'
import { messageBounds } from './bounds.ts'
import { nameOf, type HandledCall, type Handlers } from './definition.ts'
import { freeSocket } from './free-socket.ts'
import { commonNameOf, serverCredentials, type GrpcIdentity } from './identity.ts'
import { openReflection } from './reflection.ts'

export interface GrpcServer {
  readonly address: string
  serve<D extends object>(service: D, handlers: Handlers<D>): void
  /** Takes no new calls and finishes those in flight, for so long. Doing it twice is doing it once. */
  stop(longest_ms?: number): Promise<void>
}

const stop_ms_max = 10_000
const detail_length_max = 500
/** Clients connect anew this often, and so find replicas that have come; calls in flight may finish. */
const connection_ms_max = 300_000
const connection_grace_ms = 120_000

export async function openServer(options: {
  readonly log: Logger
  readonly listen: string
  readonly identity?: GrpcIdentity
}): Promise<GrpcServer> {
  const { log, identity } = options
  setLogger({ error: (...said: unknown[]) => log.warn(`gRPC: ${said.join(' ')}`) })
  const server = new Server({
    ...messageBounds,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.enable_channelz': 0,
    ...(identity === undefined
      ? {}
      : {
          'grpc.max_connection_age_ms': connection_ms_max,
          'grpc.max_connection_age_grace_ms': connection_grace_ms,
        }),
  })
  const health = new HealthImplementation({ '': 'SERVING' })
  health.addToServer(server)
  const reflection = openReflection(server)
  const address = await listen(server, options.listen, identity)
  const names: string[] = ['']
  let stopped: Promise<void> | undefined

  return {
    address,
    serve(service, handlers) {
      const name = nameOf(service)
      server.addService(
        service as unknown as ServiceDefinition,
        implementation(handlers, { log, identity }),
      )
      reflection.add(service)
      health.setStatus(name, 'SERVING')
      names.push(name)
    },
    stop(longest_ms = stop_ms_max) {
      if (stopped !== undefined) return stopped
      for (const name of names) health.setStatus(name, 'NOT_SERVING')
      return (stopped = shutdown(server, longest_ms))
    },
  }
}

/** Resolves with the address by which the server is reached. */
async function listen(
  server: Server,
  address: string,
  identity: GrpcIdentity | undefined,
): Promise<string> {
  const isSocket = address.startsWith('unix:')
  if (isSocket) await freeSocket(address.slice('unix:'.length))
  return new Promise((resolve, reject) => {
    server.bindAsync(address, serverCredentials(identity), (error, port) => {
      if (error !== null)
        reject(new StartError(`The gRPC server cannot listen on ${address}: ${error.message}`))
      else resolve(isSocket ? address : `${address.slice(0, address.lastIndexOf(':'))}:${port}`)
    })
  })
}

type Handler = (request: object, call: HandledCall) => Promise<object>

interface Serving {
  readonly log: Logger
  readonly identity: GrpcIdentity | undefined
}

type UnaryCall = ServerUnaryCall<object, object>

function implementation(handlers: object, serving: Serving): UntypedServiceImplementation {
  return Object.fromEntries(
    (Object.entries(handlers) as readonly (readonly [string, Handler])[]).map(([name, handler]) => [
      name,
      (call: UnaryCall, answer: sendUnaryData<object>) => {
        const caller = callerOf(call, serving)
        const refusal = refusalOf(caller, call.getPath(), serving)
        if (refusal !== undefined) return answer(refusal)
        handled(handler, call, caller).then(
          (response) => answer(null, response),
          (error: unknown) => answer(failure(error, call.getPath(), serving.log)),
        )
      },
    ]),
  )
}

function callerOf(call: UnaryCall, { identity }: Serving): string | undefined {
  return identity && commonNameOf(call.getAuthContext().sslPeerCertificate)
}

/** Nobody is let in to a method that does not name him. */
function refusalOf(caller: string | undefined, path: string, { log, identity }: Serving) {
  if (identity === undefined) return undefined
  if (caller !== undefined && identity.callersOf(path).includes(caller)) return undefined
  log.warn({ caller, path }, 'a gRPC call was refused: its method does not name the caller')
  return { code: status.PERMISSION_DENIED, details: `${caller ?? 'nobody'} may not call ${path}` }
}

/** Turns a throw before the first await into a rejection as well. */
async function handled(
  handler: Handler,
  call: UnaryCall,
  caller: string | undefined,
): Promise<object> {
  return handler(call.request, handledCall(call, caller))
}

/** Hardly a handler asks for the signal, so it is made when one does. */
function handledCall(call: UnaryCall, caller: string | undefined): HandledCall {
  let signal: AbortSignal | undefined
  return {
    caller,
    get signal() {
      return (signal ??= goneSignal(call))
    },
  }
}

function goneSignal(call: UnaryCall): AbortSignal {
  const gone = new AbortController()
  const abort = () => gone.abort(new Error('Connection terminated: the caller is gone'))
  if (call.cancelled) abort()
  else call.once('cancelled', abort)
  return gone.signal
}

/** A caller repeats what an outage of ours interrupted; what we got wrong it must not repeat. */
function failure(error: unknown, path: string, log: Logger): { code: status; details: string } {
  const message = error instanceof Error ? error.message : String(error)
  const details = message.slice(0, detail_length_max)
  if (isOutage(error)) {
    log.warn({ err: error, path }, 'a gRPC call was cut off by an outage')
    return { code: status.UNAVAILABLE, details }
  }
  log.error({ err: error, path }, 'a gRPC call failed')
  return { code: status.INTERNAL, details }
}

function shutdown(server: Server, longest_ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), longest_ms)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
