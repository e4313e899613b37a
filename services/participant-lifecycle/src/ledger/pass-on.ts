/**
 * Any replica answers any call: what only the ledger's writer may decide is passed on to it, once. A
 * call waits for the writer as long as its caller waits. One that finds no writer is an outage, and its caller repeats it with the same ids.
 */
import { ledgerService } from '@causeway/protos'
import {
  isOutage,
  isQuestion,
  type CallOptions,
  type GrpcHost,
  type HandledCall,
  type Handlers,
} from '@causeway/runtime'
import type { OneConnection } from './connection.ts'

const self = 'participant-lifecycle'
const ping_ms_max = 1_000

export interface WriterPlace {
  /** The connection of this process; it is the writer while that holds the lock. */
  readonly connection: Pick<OneConnection, 'holdsLock' | 'answers'>
  /** Where the writer was last known to be. */
  readonly find: () => Promise<string | undefined>
  readonly grpc: Pick<GrpcHost, 'address' | 'clientAt'>
}

export interface PassingOn {
  /** The same handlers, of which those that change something are the writer's. */
  byWriter<D extends object>(service: D, handlers: Handlers<D>): Handlers<D>
  /** Rejects while neither this process nor another one that answers is the writer. */
  answers(): Promise<void>
}

type Handler = (request: object, call: HandledCall) => Promise<object>
type Call = (request: object, options: CallOptions) => Promise<object>

export function openPassingOn({ connection, find, grpc }: WriterPlace): PassingOn {
  let known: string | undefined

  /** undefined: no other process is known to write. */
  async function elsewhere(): Promise<string | undefined> {
    known ??= await find()
    return known === grpc.address ? undefined : known
  }

  async function asking<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      if (isOutage(error)) known = undefined
      throw error
    }
  }

  return {
    byWriter(service, handlers) {
      const definition = service as Readonly<Record<string, Parameters<typeof isQuestion>[0]>>
      const all = Object.entries(handlers as unknown as Readonly<Record<string, Handler>>)
      return Object.fromEntries(
        all.map(([name, handler]) => {
          const method = definition[name]
          if (method !== undefined && isQuestion(method)) return [name, handler]
          const passedOn: Handler = async (request, call) => {
            // What a replica has passed on is answered here or nowhere: it never goes round.
            if (connection.holdsLock() || call.caller === self) return handler(request, call)
            const address = await elsewhere()
            if (address === undefined) {
              known = undefined
              return handler(request, call)
            }
            const calls = grpc.clientAt(service, self, address) as unknown as Readonly<
              Record<string, Call>
            >
            const writer = calls[name]
            if (writer === undefined) throw new Error(`the ledger's writer has no method ${name}`)
            return asking(() => writer(request, { deadline_ms: call.left_ms() }))
          }
          return [name, passedOn]
        }),
      ) as unknown as typeof handlers
    },
    async answers() {
      if (connection.holdsLock()) return connection.answers()
      const address = await elsewhere()
      if (address === undefined) {
        known = undefined
        throw new Error("nobody holds the ledger's lock")
      }
      const writer = grpc.clientAt(ledgerService, self, address)
      await asking(() => writer.GetLedgerEntries({ ids: [] }, { deadline_ms: ping_ms_max }))
    },
  }
}
