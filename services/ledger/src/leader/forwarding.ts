/**
 * Any replica accepts any call. Calls that only the writer (the replica that holds the ledger's
 * lock) may decide are forwarded to it, once. A call waits for the writer as long as its caller
 * waits. If there is no writer, the call fails as an outage and the caller repeats it with the same
 * ids.
 */
import {
  isQuestion,
  type GrpcHost,
  type Handlers,
  type OutgoingCall,
  type UnaryHandler,
} from '@causeway/grpc'
import { isOutage } from '@causeway/process'
import { ledgerService } from '@causeway/protos'
import type { LeaderConnection } from './connection.ts'

const self = 'participant-lifecycle'
const ping_ms_max = 1_000

export interface LeaderForwardingParts {
  /** The connection of this process, which is the writer while the connection holds the lock. */
  readonly connection: Pick<LeaderConnection, 'holdsLock' | 'answers'>
  /** The last known address of the writer. */
  readonly find: () => Promise<string | undefined>
  readonly grpc: Pick<GrpcHost, 'address' | 'clientAt'>
}

export interface LeaderForwarding {
  /** The same handlers; those that change something run on the writer. */
  toLeader<D extends object>(service: D, handlers: Handlers<D>): Handlers<D>
  /** Rejects while neither this process nor another one that answers is the writer. */
  answers(): Promise<void>
}

export function openLeaderForwarding({
  connection,
  find,
  grpc,
}: LeaderForwardingParts): LeaderForwarding {
  let known: string | undefined

  /** undefined: no other writer is known. */
  async function otherLeader(): Promise<string | undefined> {
    known ??= await find()
    return known === grpc.address ? undefined : known
  }

  async function callLeader<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      if (isOutage(error)) known = undefined
      throw error
    }
  }

  return {
    toLeader(service, handlers) {
      const definition = service as Readonly<Record<string, Parameters<typeof isQuestion>[0]>>
      const all = Object.entries(handlers as unknown as Readonly<Record<string, UnaryHandler>>)
      return Object.fromEntries(
        all.map(([name, handler]) => {
          const method = definition[name]
          if (method !== undefined && isQuestion(method)) return [name, handler]
          const forwarded: UnaryHandler = async (request, call) => {
            // A call forwarded by a replica is never forwarded again.
            if (connection.holdsLock() || call.callers?.includes(self) === true)
              return handler(request, call)
            const address = await otherLeader()
            if (address === undefined) {
              known = undefined
              return handler(request, call)
            }
            const calls = grpc.clientAt(service, self, address) as unknown as Readonly<
              Record<string, OutgoingCall>
            >
            const writer = calls[name]
            if (writer === undefined) throw new Error(`the ledger's writer has no method ${name}`)
            return callLeader(() => writer(request, { deadline_ms: call.left_ms() }))
          }
          return [name, forwarded]
        }),
      ) as unknown as typeof handlers
    },
    async answers() {
      if (connection.holdsLock()) return connection.answers()
      const address = await otherLeader()
      if (address === undefined) {
        known = undefined
        throw new Error("no process holds the ledger's lock")
      }
      const writer = grpc.clientAt(ledgerService, self, address)
      await callLeader(() => writer.GetLedgerEntries({ ids: [] }, { deadline_ms: ping_ms_max }))
    },
  }
}
