/**
 * Bounds what one FSP has sent about bulk transfers and the hub has not processed: such messages are
 * processed in their order, and while they are not, no item expires that they could be about. Requests and
 * answers of an FSP count apart, so that its requests refuse none of its answers; it may have more answers,
 * because these wait for what others have sent as well, and complete transfers.
 */
import type { GrpcHost } from '@causeway/grpc'
import { periodically, type Logger } from '@causeway/process'
import { bulkTransfersService } from '@causeway/protos'

export type BacklogKind = 'requests' | 'answers'

export interface BulkBacklog {
  /** Whether another message of the FSP may be stored. */
  hasRoom(fspId: string, kind: BacklogKind): boolean
  /** A message of the FSP was stored that counts as so many requests. */
  stored(fspId: string, kind: BacklogKind, requests: number): void
  /** Everything that was stored before that moment is processed. */
  processed(until_ms: number): void
  readonly isEmpty: boolean
}

/** How many times the bound. */
const shares: Readonly<Record<BacklogKind, number>> = { requests: 1, answers: 5 }

interface BacklogEntry {
  readonly at_ms: number
  readonly requests: number
}

interface Use {
  /** The oldest first. */
  readonly messages: BacklogEntry[]
  requests: number
}

export function openBulkBacklog(
  bounds: { readonly requests_max: number },
  now_ms: () => number,
): BulkBacklog {
  const uses = new Map<string, Use>()
  const keyOf = (fspId: string, kind: BacklogKind) => `${kind} ${fspId}`
  return {
    hasRoom: (fspId, kind) =>
      (uses.get(keyOf(fspId, kind))?.requests ?? 0) < bounds.requests_max * shares[kind],
    stored(fspId, kind, requests) {
      const key = keyOf(fspId, kind)
      const use = uses.get(key) ?? { messages: [], requests: 0 }
      use.messages.push({ at_ms: now_ms(), requests })
      use.requests += requests
      uses.set(key, use)
    },
    processed(until_ms) {
      for (const [key, use] of uses) {
        const open = use.messages.findIndex(({ at_ms }) => at_ms >= until_ms)
        const done = use.messages.splice(0, open < 0 ? use.messages.length : open)
        for (const { requests } of done) use.requests -= requests
        if (use.messages.length === 0) uses.delete(key)
      }
    },
    get isEmpty() {
      return uses.size === 0
    },
  }
}

const every_ms = 1_000

/** Asks transfers how far it is, while anything is not processed. */
export function followBulkProgress(
  backlog: BulkBacklog,
  { grpc, log }: { readonly grpc: GrpcHost; readonly log: Logger },
): { stop(): Promise<void> } {
  const { GetBulkProgress } = grpc.client(bulkTransfersService, 'transfers')
  async function follow(): Promise<void> {
    if (backlog.isEmpty) return
    const { processedUntil } = await GetBulkProgress({})
    backlog.processed(Date.parse(processedUntil))
  }
  return periodically(every_ms, follow, { log, name: 'the progress of bulk transfers' })
}
