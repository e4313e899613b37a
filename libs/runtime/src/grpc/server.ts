/** The gRPC server of a process: every service of the process, health, and reflection. */
import {
  Server,
  ServerCredentials,
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
import { openReflection } from './reflection.ts'

export interface GrpcServer {
  readonly address: string
  serve<D extends object>(service: D, handlers: Handlers<D>): void
  stop(): Promise<void>
}

const stop_ms_max = 10_000
const detail_length_max = 500

export async function openServer(options: {
  readonly log: Logger
  readonly listen: string
}): Promise<GrpcServer> {
  const { log } = options
  setLogger({ error: (...said: unknown[]) => log.warn(`gRPC: ${said.join(' ')}`) })
  const server = new Server({
    ...messageBounds,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.enable_channelz': 0,
  })
  const health = new HealthImplementation({ '': 'SERVING' })
  health.addToServer(server)
  const reflection = openReflection(server)
  const address = await listen(server, options.listen)
  const names: string[] = ['']

  return {
    address,
    serve(service, handlers) {
      const name = nameOf(service)
      server.addService(service as unknown as ServiceDefinition, implementation(handlers, log))
      reflection.add(service)
      health.setStatus(name, 'SERVING')
      names.push(name)
    },
    async stop() {
      for (const name of names) health.setStatus(name, 'NOT_SERVING')
      await shutdown(server)
    },
  }
}

/** Resolves with the address by which the server is reached. */
async function listen(server: Server, address: string): Promise<string> {
  const isSocket = address.startsWith('unix:')
  if (isSocket) await freeSocket(address.slice('unix:'.length))
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error !== null)
        reject(new StartError(`The gRPC server cannot listen on ${address}: ${error.message}`))
      else resolve(isSocket ? address : `${address.slice(0, address.lastIndexOf(':'))}:${port}`)
    })
  })
}

type Handler = (request: object, call: HandledCall) => Promise<object>

function implementation(handlers: object, log: Logger): UntypedServiceImplementation {
  return Object.fromEntries(
    (Object.entries(handlers) as readonly (readonly [string, Handler])[]).map(([name, handler]) => [
      name,
      (call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>) => {
        handled(handler, call).then(
          (response) => answer(null, response),
          (error: unknown) => answer(failure(error, call.getPath(), log)),
        )
      },
    ]),
  )
}

/** Turns a throw before the first await into a rejection as well. */
async function handled(handler: Handler, call: ServerUnaryCall<object, object>): Promise<object> {
  return handler(call.request, handledCall(call))
}

/** Hardly a handler asks for the signal, so it is made when one does. */
function handledCall(call: ServerUnaryCall<object, object>): HandledCall {
  let signal: AbortSignal | undefined
  return {
    get signal() {
      return (signal ??= goneSignal(call))
    },
  }
}

function goneSignal(call: ServerUnaryCall<object, object>): AbortSignal {
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

function shutdown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), stop_ms_max)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
