/**
 * The tables of bulks in memory, beside those of transfers: each method is one atomic step over both, and
 * what is published of it exists exactly when it does.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { Relay } from '@causeway/events'
import { itemsOf, leftOutOf, type Bulk, type CommonReason } from '../bulks/domain/bulk.ts'
import { counted, endOf, type MovedItems } from '../bulks/domain/progress.ts'
import type { BulkTables, EndedBulk } from '../bulks/store.ts'
import { isOpen, type Transfer } from '../domain/transfer.ts'
import type { Claim } from '../store.ts'

export interface BulkSimulation {
  readonly tables: BulkTables
  readonly rows: ReadonlyMap<string, Bulk>
  advance(steps: readonly MovedItems[], now: Date): readonly EndedBulk[]
  /** Whether an answer of the payee FSP is being read. */
  isAwaited(bulkTransferId: string, now: Date): boolean
  save(): ReadonlyMap<string, Bulk>
  restore(rows: ReadonlyMap<string, Bulk>): void
}

export interface BulkSimulationParts {
  readonly atomically: <T>(work: () => T) => Promise<T>
  readonly announce: (messages: readonly OutgoingMessage[]) => void
  readonly claim: (
    claims: readonly Pick<Claim, 'transfer' | 'sweepAt' | 'relay'>[],
  ) => ReadonlySet<string>
  readonly read: (ids: Iterable<string>) => ReadonlyMap<string, Transfer>
}

export function simulateBulks({
  atomically,
  announce,
  claim,
  read,
}: BulkSimulationParts): BulkSimulation {
  const rows = new Map<string, Bulk>()
  const requests = new Map<string, Relay>()
  /** Until when their answers are awaited. */
  const awaited = new Map<string, number>()

  function advance(
    steps: readonly MovedItems[],
    now: Date,
    refusal?: CommonReason,
  ): readonly EndedBulk[] {
    return steps.flatMap(({ bulkTransferId, ...step }) => {
      const bulk = rows.get(bulkTransferId)
      if (bulk === undefined) throw new Error(`${bulkTransferId} is not stored`)
      const counts = counted(bulk.counts, step)
      if (counts.undecided < 0 || counts.open < counts.undecided) {
        throw new Error(`${bulkTransferId} is counted wrong: ${JSON.stringify(counts)}`)
      }
      const state = bulk.state === 'RECEIVED' ? 'PENDING' : bulk.state
      const moved: Bulk = { ...bulk, counts, state }
      rows.set(bulkTransferId, moved)
      if (counts.open > 0) return []
      if (bulk.end !== undefined) throw new Error(`${bulkTransferId} ends twice`)
      const items = itemsOf(moved, read(moved.transferIds))
      const end = endOf(moved, items, now.toISOString(), refusal)
      const ended: Bulk = { ...moved, state: end.state, end }
      rows.set(bulkTransferId, ended)
      return [{ bulk: ended, items }]
    })
  }

  const tables: BulkTables = {
    claim: ({ request, transfers, sweepAt, relay, refusal }, now, buildEvents) =>
      atomically(() => {
        const { bulkTransferId } = request
        if (rows.has(bulkTransferId)) return undefined
        const items = request.transferIds.length
        rows.set(bulkTransferId, {
          ...request,
          counts: { items, undecided: items, open: items, committed: 0 },
          state: 'RECEIVED',
          leftOut: undefined,
          lastWord: undefined,
          end: undefined,
        })
        if (relay !== undefined) requests.set(bulkTransferId, relay)
        const transferIds = claim(
          transfers.map((transfer) => ({ transfer, sweepAt, relay: undefined })),
        )
        const used = items - transferIds.size
        const step = { bulkTransferId, decided: used, ended: used, committed: 0 }
        const [ended] = used === 0 ? [] : advance([step], now, refusal)
        const claimed = { transferIds, ended }
        announce(buildEvents(claimed))
        return claimed
      }),
    read: (bulkTransferId) => Promise.resolve(rows.get(bulkTransferId)),
    request: (bulkTransferId) => Promise.resolve(requests.get(bulkTransferId)),
    accept: (bulkTransferId, buildEvents) =>
      atomically(() => {
        const bulk = rows.get(bulkTransferId)
        if (bulk === undefined || bulk.leftOut !== undefined) return
        if (bulk.counts.undecided > 0 || bulk.counts.open === 0) return
        const leftOut = leftOutOf(itemsOf(bulk, read(bulk.transferIds)))
        const accepted: Bulk = { ...bulk, state: 'ACCEPTED', leftOut }
        rows.set(bulkTransferId, accepted)
        announce(buildEvents(accepted))
      }),
    awaitAnswer({ bulkTransferId, payeeFsp, receivedAt, until }) {
      const bulk = rows.get(bulkTransferId)
      if (bulk === undefined) return Promise.resolve('UNKNOWN')
      const isLate = Date.parse(bulk.expiresAt) < Date.parse(receivedAt)
      if (bulk.payeeFsp !== payeeFsp || bulk.end !== undefined || isLate) {
        return Promise.resolve('NOT_AWAITED')
      }
      awaited.set(bulkTransferId, Math.max(awaited.get(bulkTransferId) ?? 0, until.getTime()))
      return Promise.resolve('AWAITED')
    },
    openItems(bulkTransferId, transferIds) {
      const stored = read(transferIds)
      const isOpenItem = (id: string) => {
        const transfer = stored.get(id)
        return transfer?.bulkTransferId === bulkTransferId && isOpen(transfer)
      }
      return Promise.resolve(transferIds.filter(isOpenItem))
    },
    take: ({ bulkTransferId, lastWord }) =>
      atomically(() => {
        const bulk = rows.get(bulkTransferId)
        if (bulk?.leftOut === undefined || bulk.end !== undefined) return false
        const stored = bulk.lastWord
        if (stored !== undefined && stored.hash !== lastWord?.hash) return false
        rows.set(bulkTransferId, { ...bulk, state: 'PROCESSING', lastWord: stored ?? lastWord })
        return true
      }),
    miscounted: () => Promise.resolve([]),
    endMiscounted: () => Promise.resolve(false),
    announce: (messages) => atomically(() => announce(messages)),
  }

  return {
    tables,
    rows,
    advance,
    isAwaited: (id, now) => (awaited.get(id) ?? 0) > now.getTime(),
    save: () => new Map(rows),
    restore(before) {
      rows.clear()
      for (const [id, bulk] of before) rows.set(id, bulk)
    },
  }
}
