/** The methods of the ledger service. Decisions go through the writer, queries do not. */
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import type { ledgerService } from '@causeway/protos'
import { entryMessage, rotatedMessage } from './contract.ts'
import {
  entriesOf,
  overdueReservations,
  settlementEntriesAfter,
  transferEntriesAfter,
  wholeEntriesOf,
} from './entry-store.ts'
import { recordHandlers } from './record.ts'
import { settlementHandlers } from './settlement/handlers.ts'
import type { SettleParts } from './settlement/settle.ts'
import { currentWindow } from './settlement/window-store.ts'
import { rotateWindow } from './settlement/rotate.ts'
import { transferHandlers } from './transfers.ts'
import type { Verifier } from './verification/verifier.ts'
import type { Writer } from './writer.ts'

/** Entries without evidence are below 1 KiB, so a page fits into one message. */
const page_max = 10_000
/** With their evidence they are up to 17 KiB. */
const whole_max = 500

export interface LedgerParts extends SettleParts {
  readonly database: Database
  readonly writer: Writer
  readonly verifier: Verifier
  readonly log: Logger
}

export function serveLedger(parts: LedgerParts): Handlers<typeof ledgerService> {
  const { database, writer, verifier, log } = parts
  return {
    ...transferHandlers(writer, log),
    GetLedgerEntries: async ({ ids }) => {
      if (ids.length > page_max)
        throw new RangeError(`at most ${page_max} ids can be requested at once`)
      return { entries: (await entriesOf(database, ids)).map(entryMessage) }
    },
    ...recordHandlers(database),
    ...settlementHandlers(parts),
    ListTransferEntries: async ({ afterId, limit }) => ({
      entries: (await transferEntriesAfter(database, afterId, bounded(limit))).map(entryMessage),
    }),
    GetWholeEntries: async ({ ids }) => {
      if (ids.length > whole_max) {
        throw new RangeError(`at most ${whole_max} ids can be requested at once`)
      }
      return { entries: (await wholeEntriesOf(database, ids)).map(entryMessage) }
    },
    ListSettlementEntries: async ({ afterId, limit }) => ({
      entries: (await settlementEntriesAfter(database, afterId, bounded(limit))).map(entryMessage),
    }),
    GetCurrentWindow: async () => ({ windowId: await currentWindow(database) }),
    ListOverdueReservations: async ({ overdueMs, limit }) => ({
      entries: (await overdueReservations(database, overdueMs, bounded(limit))).map(entryMessage),
    }),
    RotateSettlementWindow: async ({ requestId, windowId, nextWindowId }) => {
      const rotated = await writer.runExclusive((tx) =>
        rotateWindow(tx, { requestId, windowId, nextWindowId }),
      )
      return rotatedMessage(rotated)
    },
    VerifyLedger: async (_, { signal }) => {
      const { accountsCompared, differences } = await verifier.verify(signal)
      return { accountsCompared: String(accountsCompared), differences: [...differences] }
    },
  }
}

/** A page has at least one row and never more than fit into one message. */
function bounded(limit: number): number {
  return Math.min(Math.max(limit, 1), page_max)
}
