/** The gRPC server of a process: every service of the process, health, and reflection. */
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { type Logger, StartError, withOrigin } from '@causeway/process'
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
import { messageBounds } from './bounds.ts'
import {
  methodsOf,
  nameOf,
  type Handlers,
  type MethodDefinition,
  type UnaryHandler,
} from './definition.ts'
import { failure, handledCall, handlersOf } from './handling.ts'
import { commonNameOf, serverCredentials, type GrpcIdentity } from './identity.ts'
import { claimIn, type OperatorCheck } from './operator.ts'
import { originIn } from './origins.ts'
import { openReflection } from './reflection.ts'
import { tracesIn } from './traces.ts'

export interface GrpcServer {
  readonly address: string
  serve<D extends object>(service: D, handlers: Handlers<D>): void
  checkOperators(check: OperatorCheck): void
  /** Takes no new calls and finishes those in flight, for at most this long. Idempotent. */
  stop(longest_ms: number): Promise<void>
}

/** Clients reconnect at this interval, and so find new replicas; calls in flight may finish. */
const connection_ms_max = 300_000
const connection_grace_ms = 120_000

export async function openServer(options: {
  readonly log: Logger
  readonly listen: string
  readonly identity?: GrpcIdentity
  readonly onCallerRefused?: OnCallerRefused
}): Promise<GrpcServer> {
  const { log, identity, onCallerRefused } = options
  setLogger({ error: (...words: unknown[]) => log.warn(`gRPC: ${words.join(' ')}`) })
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
  const serving: Serving = { log, identity, onCallerRefused, check: undefined }
  let stopped: Promise<void> | undefined

  return {
    address,
    serve(service, handlers) {
      const name = nameOf(service)
      server.addService(
        service as unknown as ServiceDefinition,
        implementation(handlers, serving, service),
      )
      reflection.add(service)
      health.setStatus(name, 'SERVING')
      names.push(name)
    },
    checkOperators(check) {
      serving.check = check
    },
    stop(longest_ms) {
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

/** @param caller '' without a certificate */
export type OnCallerRefused = (caller: string, path: string, address: string) => void

interface Serving {
  readonly log: Logger
  readonly identity: GrpcIdentity | undefined
  readonly onCallerRefused: OnCallerRefused | undefined
  check: OperatorCheck | undefined
}

type UnaryCall = ServerUnaryCall<object, object>

function implementation(
  handlers: object,
  serving: Serving,
  service: object,
): UntypedServiceImplementation {
  const methods = methodsOf(service)
  return Object.fromEntries(
    handlersOf(handlers).map(([name, handler]) => [
      name,
      (call: UnaryCall, answer: sendUnaryData<object>) => {
        const caller = callerOf(call, serving)
        const refusal = refusalOf(caller, call.getPath(), serving)
        if (refusal !== undefined) {
          serving.onCallerRefused?.(caller?.name ?? '', call.getPath(), call.getPeer())
          return answer(refusal)
        }
        const proven = proveOperator(call, caller, methods.get(name), serving)
        const handle = () => handled(handler, call, caller?.services)
        const response = proven?.then((fault) => fault ?? handle())
        void (response ?? handle()).then(
          (done) => (done instanceof Unproven ? answer(done.status) : answer(null, done)),
          (error: unknown) => answer(failure(error, call.getPath(), serving.log)),
        )
      },
    ]),
  )
}

/** A process, by its certificate. */
interface CallingProcess {
  readonly name: string
  readonly services: readonly string[]
}

function callerOf(call: UnaryCall, { identity }: Serving): CallingProcess | undefined {
  const name = identity && commonNameOf(call.getAuthContext().sslPeerCertificate)
  return name === undefined ? undefined : { name, services: identity?.servicesOf(name) ?? [] }
}

/** A method admits only the callers that it names. */
function refusalOf(caller: CallingProcess | undefined, path: string, { log, identity }: Serving) {
  if (identity === undefined) return undefined
  const admitted = identity.callersOf(path)
  if (caller?.services.some((service) => admitted.includes(service)) === true) return undefined
  const { name } = caller ?? {}
  log.warn({ caller: name, path }, 'a gRPC call was refused: its method does not name the caller')
  return {
    code: status.PERMISSION_DENIED,
    details: `${name ?? 'an unknown caller'} may not call ${path}`,
  }
}

/** The answer to a call for an operator without the proof that it needs. */
class Unproven {
  readonly status: { readonly code: status; readonly details: string }

  constructor(details: string) {
    this.status = { code: status.PERMISSION_DENIED, details }
  }
}

/** Undefined: no proof is needed of the call. */
function proveOperator(
  call: UnaryCall,
  caller: CallingProcess | undefined,
  method: MethodDefinition | undefined,
  { check, log }: Serving,
): Promise<Unproven | undefined> | undefined {
  if (check === undefined || method === undefined) return undefined
  if (caller?.services.includes(check.caller) !== true) return undefined
  const claim = claimIn(check.needOf(method.path), method, call.request, call.metadata)
  if (claim === undefined) return undefined
  return check.faultOf(claim).then((fault) => {
    if (fault === undefined) return undefined
    const { actor = 'an operator' } = claim
    log.warn({ caller: caller.name, path: method.path, actor }, `a gRPC call was refused: ${fault}`)
    return new Unproven(`${caller.name} does not prove that it acts for ${actor}: ${fault}`)
  })
}

/** Turns a throw before the first await into a rejection as well. */
async function handled(
  handler: UnaryHandler,
  call: UnaryCall,
  callers: readonly string[] | undefined,
): Promise<object> {
  const onGone = (abort: () => void) => {
    if (call.cancelled) abort()
    else call.once('cancelled', abort)
  }
  const tracesOf = () => tracesIn(call.metadata)
  const deadline_ms = Number(call.getDeadline())
  return withOrigin(originIn(call.metadata), () =>
    handler(call.request, handledCall(callers, onGone, deadline_ms, tracesOf)),
  )
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

/**
 * Removes the socket file of a killed process, so that it does not prevent the next start. StartError
 * when a process listens on it.
 */
async function freeSocket(path: string): Promise<void> {
  if (await isListenedOn(path))
    throw new StartError(`The socket ${path} is in use by another running process.`)
  await rm(path, { force: true })
}

function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
