/**
 * What the edge asks about messages of bulks: an answer whose body takes long to read is announced before
 * it is read, so that its items do not expire meanwhile; and how far all messages are processed, so that
 * no FSP has too many that are not.
 */
import type { Handlers } from '@causeway/grpc'
import type { bulkTransfersService } from '@causeway/protos'
import type { BulkTables } from './store.ts'

/** So long after its last byte an answer is awaited: longer than any FSP waits for its acknowledgement. */
export const awaited_ms = 60_000

export function arrivalHandlers(
  bulks: Pick<BulkTables, 'awaitAnswer'>,
  lowWatermark: () => Promise<Date>,
): Handlers<typeof bulkTransfersService> {
  return {
    async AwaitBulkAnswer({ bulkTransferId, payeeFsp, receivedAt }) {
      const until = new Date(Date.parse(receivedAt) + awaited_ms)
      const outcome = await bulks.awaitAnswer({ bulkTransferId, payeeFsp, receivedAt, until })
      return outcome === 'AWAITED' ? { outcome, until: until.toISOString() } : { outcome }
    },
    async GetBulkProgress() {
      return { processedUntil: (await lowWatermark()).toISOString() }
    },
  }
}
