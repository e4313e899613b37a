/** The transfers behind the sums, in bounded pages. */
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { orNull, type settlementReportsService, type TransferRow } from '@causeway/protos'
import { refuse, type Refused } from '../refusal.ts'
import { settlementOf } from '../settlements/store.ts'
import { verifySettlements, type ComparedLedger } from '../verification/verify.ts'
import { isDay, readCursor, writeCursor } from './cursor.ts'
import {
  contentsTaken,
  linesAfter,
  linesOutsideWindows,
  windowsOn,
  type LineKey,
  type ReadLine,
  type Wanted,
} from './store.ts'

const rows_default = 1_000
const rows_max = 5_000
const ids_max = 1_000

/** Adds their origins to the rows of a page. */
export type OriginsOf = (rows: readonly TransferRow[]) => Promise<TransferRow[]>

export function reportHandlers(
  db: Database,
  ledger: ComparedLedger,
  originsOf: OriginsOf,
): Handlers<typeof settlementReportsService> {
  return {
    ListSettlementTransfers: async ({ settlementId, participant, cursor, limit }) => {
      const after = readCursor(cursor)
      if (after === undefined) return refusedWith(refuse('INVALID', 'cursor is none of ours'))
      if ((await settlementOf(db, settlementId, 'READ')) === undefined) {
        const detail = `there is no settlement ${settlementId}`
        return refusedWith(refuse('SETTLEMENT_UNKNOWN', detail))
      }
      const contents = await contentsTaken(db, settlementId)
      const windows = [...new Set(contents.map(({ windowId }) => windowId))]
      const wanted = windows.map((windowId): Wanted => ({
        windowId,
        contents: contents.filter((content) => content.windowId === windowId),
        participant: orNull(participant),
        day: null,
      }))
      return page(db, originsOf, { wanted, after, limit })
    },
    ListReconciliation: async ({ participant, windowId, day, cursor, limit }) => {
      const after = readCursor(cursor)
      if (after === undefined) return refusedWith(refuse('INVALID', 'cursor is none of ours'))
      if (participant === '') return refusedWith(refuse('INVALID', 'participant is missing'))
      if (day !== '' && !isDay(day)) return refusedWith(refuse('INVALID', `${day} is not a day`))
      if (windowId === 0 && day === '') {
        return refusedWith(refuse('INVALID', 'neither a window nor a day is given'))
      }
      const windows = windowId === 0 ? await windowsOn(db, day) : [windowId]
      const wanted = windows.map((id): Wanted => ({
        windowId: id,
        contents: null,
        participant,
        day: orNull(day),
      }))
      return page(db, originsOf, { wanted, after, limit })
    },
    GetLinesOutsideWindows: async ({ transferIds }) => {
      if (transferIds.length > ids_max) {
        throw new RangeError(`at most ${ids_max} transfers can be requested at once`)
      }
      return { rows: [...(await linesOutsideWindows(db, transferIds))], cursor: '' }
    },
    VerifySettlements: async () => {
      const { windowsCompared, differences } = await verifySettlements({ db, ledger }, new Date())
      return { windowsCompared, differences: [...differences] }
    },
  }
}

interface PageAsked {
  readonly wanted: readonly Wanted[]
  readonly after: LineKey | null
  readonly limit: number
}

/** Reads window by window until the page is full. */
async function page(db: Database, originsOf: OriginsOf, asked: PageAsked) {
  const { wanted, after } = asked
  const limit = bounded(asked.limit)
  const found: ReadLine[] = []
  for (const window of wanted) {
    if (after !== null && window.windowId < after.windowId) continue
    const key = after?.windowId === window.windowId ? after : null
    found.push(...(await linesAfter(db, window, key, limit - found.length)))
    if (found.length >= limit) break
  }
  const last = found.at(-1)
  const cursor = last === undefined || found.length < limit ? '' : writeCursor(last.key)
  const rows = await originsOf(found.map(({ row }) => row))
  return { rows: { rows, cursor } }
}

function bounded(limit: number): number {
  return limit <= 0 ? rows_default : Math.min(limit, rows_max)
}

function refusedWith({ reason, detail }: Refused) {
  return { refusal: { reason, detail } }
}
