/**
 * A large answer of a payee FSP is announced to transfers before it is read, so that the items that it may
 * be about do not expire while it waits for its turn to be read.
 */
import type { GrpcHost } from '@causeway/grpc'
import type { Logger } from '@causeway/process'
import { bulkTransfersService } from '@causeway/protos'

export interface Arrival {
  readonly bulkTransferId: string
  readonly payeeFsp: string
  /** When its last byte was received, ISO 8601. */
  readonly receivedAt: string
}

export interface Arrivals {
  /**
   * The last moment at which the answer is stored in time, in ms since 1970; undefined where nothing is held
   * back for it.
   */
  announce(arrival: Arrival): Promise<number | 'BULK_UNKNOWN' | undefined>
}

export interface ArrivalParts {
  readonly grpc: GrpcHost
  readonly log: Logger
  /** EXPIRY_GRACE_MS: items of an answer that is announced later may have expired. */
  readonly grace_ms: number
  readonly now_ms: () => number
}

const deadline_ms = 1_000

export function openArrivals({ grpc, log, grace_ms, now_ms }: ArrivalParts): Arrivals {
  const { AwaitBulkAnswer } = grpc.client(bulkTransfersService, 'transfers')
  return {
    async announce(arrival) {
      try {
        const { outcome, until } = await AwaitBulkAnswer(arrival, { deadline_ms })
        if (outcome === 'UNKNOWN') return 'BULK_UNKNOWN'
        const isInTime = now_ms() - Date.parse(arrival.receivedAt) <= grace_ms
        return until === undefined || !isInTime ? undefined : Date.parse(until) - 1
      } catch (error) {
        // It is judged as any other answer: by the time at which it is stored.
        log.warn({ err: error }, 'a large answer could not be announced before it is read')
        return undefined
      }
    },
  }
}
