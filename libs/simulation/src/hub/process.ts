/**
 * One process of the hub: the services by their own `start`, on the real bus, the real calls and the real
 * SQL. It dies at once, stops in order, or freezes and comes back.
 */
import { openEmbeddedBus } from '@causeway/bus/embedded'
import type { EventBus } from '@causeway/bus'
import { callsBy, openInProcessTransport } from '@causeway/grpc/testing/in-process'
import type { GrpcHost } from '@causeway/grpc'
import {
  openDatabase,
  openExclusive,
  type DatabaseOptions,
  type ExclusiveOptions,
} from '@causeway/postgres'
import { openHealth, openMetrics, type Logger } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import { aloneInMemory } from '@causeway/runtime/testing'
import type { Connection } from '../sql/connection.ts'
import { ownedBy, type Owner } from '../virtual/world.ts'
import { Network, type Outside } from './network.ts'
import { startServices, type Running } from './services.ts'

/** A call that leaves one service for another. */
export type CallFate = 'HANDLED' | { readonly answer: 'REFUSED' | 'LOST'; readonly error: Error }

export interface Surroundings {
  readonly log: Logger
  readonly connect: () => Connection
  /** What becomes of the next call between services; it is handled if its answer is lost. */
  readonly callFate: () => CallFate
  readonly outside: Outside
}

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

/** The database is the same for all; the simulated connections ask for no name. */
const url = 'postgres://simulation@localhost/simulation?sslmode=disable'

/** Rejects when it could not start; never settles when it was killed meanwhile. */
export function openProcess(owner: Owner, around: Surroundings): Promise<HubProcess> {
  return ownedBy(owner, async () => {
    const { log, connect: stream } = around
    const metrics = openMetrics({ ofProcess: false })
    const engine = await openEmbeddedBus({
      log,
      metrics,
      openDatabase: (options, outbox) => openDatabase({ ...options, url, stream }, { outbox, log }),
    })
    const grpc = hostOf(owner, around)
    const { outbox } = engine
    const network = new Network(owner, around.outside)
    const parts: ProcessParts = {
      log,
      bus: engine.bus,
      grpc,
      http: network.http,
      health: openHealth(),
      metrics,
      shared: aloneInMemory,
      openDatabase: (options: DatabaseOptions) =>
        openDatabase({ ...options, url, stream }, { outbox, log }),
      openExclusive: (options: ExclusiveOptions) =>
        openExclusive({ ...options, url, stream }, { outbox, log }),
    }
    const running = await startServices(parts)
    return {
      owner,
      grpc,
      bus: engine.bus,
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

/** Calls stay in the process: the bytes are written and read, and nothing travels. */
function hostOf(owner: Owner, { log, callFate }: Surroundings): GrpcHost {
  const within = openInProcessTransport(log)
  const call: typeof within.call = async (...given) => {
    if (owner.isDead()) return new Promise(() => {})
    const fate = callFate()
    if (fate !== 'HANDLED' && fate.answer === 'REFUSED') throw fate.error
    const answer = await within.call(...given)
    // A dead process answers nobody.
    if (owner.isDead()) return new Promise(() => {})
    if (fate !== 'HANDLED') throw fate.error
    return answer
  }
  const client: GrpcHost['client'] = (service, provider) => callsBy(service, provider, call)
  return {
    address: owner.name,
    serve: (service, handlers) => within.serve(service, handlers),
    checkOperators: () => undefined,
    client,
    clientAt: client,
  }
}
