/**
 * One process of the hub: the services by their own `start`, on the real bus, the real calls and the real
 * SQL. It dies at once, stops in order, or freezes and comes back.
 */
import type { EventBus } from '@causeway/bus'
import { callsBy, openInProcessTransport } from '@causeway/grpc/testing/in-process'
import type { GrpcHost } from '@causeway/grpc'
import { openHealth, openMetrics, type Logger } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import { serveApprovals } from '@causeway/runtime/testing'
import type { Cluster } from '../kafka/cluster.ts'
import type { Connection } from '../sql/connection.ts'
import { chance, ownedBy, rest, thawed, type Owner } from '../virtual/world.ts'
import { openEngine } from './engine.ts'
import { Network, type Outside } from './network.ts'
import { startServices, type Running } from './services.ts'

/** A call that leaves one service for another. */
export type CallFate = 'HANDLED' | { readonly answer: 'REFUSED' | 'LOST'; readonly error: Error }

/** A call to one process by its address. */
type InProcessCall = ReturnType<typeof openInProcessTransport>['call']

export interface Surroundings {
  readonly log: Logger
  readonly connect: () => Connection
  /** Undefined: the hub is one process. */
  readonly cluster: Cluster | undefined
  /** How the other replicas are called, by their addresses. */
  readonly replicas: Map<string, InProcessCall>
  /** What becomes of the next call between services; it is handled if its answer is lost. */
  readonly callFate: () => CallFate
  readonly outside: Outside
}

/** From one process to another, or back. */
const way_ms_max = 4

export interface HubProcess {
  readonly owner: Owner
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly network: Network
  /** Like a kill: nothing that it began goes on. Its connections are cut by the supervisor. */
  kill(): void
  /** In order, as after SIGTERM. */
  stop(): Promise<void>
}

/** Rejects when it could not start; never settles when it was killed meanwhile. */
export function openProcess(owner: Owner, around: Surroundings): Promise<HubProcess> {
  return ownedBy(owner, async () => {
    const { log, connect, cluster } = around
    const metrics = openMetrics({ ofProcess: false })
    const engine = await openEngine({ log, metrics, connect, cluster })
    const { bus, shared, openDatabase, openExclusive } = engine
    const grpc = hostOf(owner, around)
    const network = new Network(owner, around.outside)
    const parts: ProcessParts = {
      log,
      bus,
      grpc,
      approvals: serveApprovals(grpc),
      http: network.http,
      health: openHealth(),
      metrics,
      shared,
      openDatabase,
      openExclusive,
    }
    const running = await startServices(parts)
    return {
      owner,
      grpc,
      bus,
      network,
      kill() {
        owner.die()
        engine.crash()
      },
      stop: () =>
        ownedBy(owner, async () => {
          await stopAll(running)
          await engine.stop()
        }),
    }
  })
}

async function stopAll(running: readonly Running[]): Promise<void> {
  for (const service of running.toReversed()) await service.stop()
}

/** The bytes are written and read; within the process nothing travels. */
function hostOf(owner: Owner, { log, callFate, replicas }: Surroundings): GrpcHost {
  const within = openInProcessTransport(log)
  const call: InProcessCall = async (...given) => {
    if (owner.isDead()) return new Promise(() => {})
    const fate = callFate()
    if (fate !== 'HANDLED' && fate.answer === 'REFUSED') throw fate.error
    const answer = await within.call(...given)
    // A dead process answers nobody.
    if (owner.isDead()) return new Promise(() => {})
    if (fate !== 'HANDLED') throw fate.error
    return answer
  }
  replicas.set(owner.name, (...given) => callFrom(owner, within.call, given))
  return {
    address: owner.name,
    serve: (service, handlers) => within.serve(service, handlers),
    checkOperators: () => undefined,
    client: (service, provider) => callsBy(service, provider, call),
    clientAt: (service, provider, address) =>
      callsBy(service, provider, replicas.get(address) ?? gone),
  }
}

const gone: InProcessCall = () => Promise.reject(unavailable())

/** A call of another process, until its deadline: what it begins here dies with this one. */
function callFrom(
  owner: Owner,
  call: InProcessCall,
  given: Parameters<InProcessCall>,
): ReturnType<InProcessCall> {
  const [, , deadline_ms] = given
  const late = rest(deadline_ms).then(() => {
    throw failure(4, `no response within ${deadline_ms} ms`)
  })
  return Promise.race([answerOf(owner, () => call(...given)), late])
}

async function answerOf(owner: Owner, call: () => Promise<object>): Promise<object> {
  await rest(chance().below(way_ms_max))
  await thawed(owner)
  if (owner.isDead()) throw unavailable()
  const answer = await ownedBy(owner, call)
  await rest(chance().below(way_ms_max))
  return answer
}

function unavailable(): Error {
  return failure(14, 'the connection was refused')
}

function failure(code: number, details: string): Error {
  return Object.assign(new Error(details), { code, details })
}
