/** The transfers behind the sums, in bounded pages. */
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { settlementReportsService, TransferRow } from '@causeway/protos'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
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
  type LineFilter,
} from '../lines/read-store.ts'

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
      const wanted = windows.map((windowId): LineFilter => ({
        windowId,
        contents: contents.filter((content) => content.windowId === windowId),
        participant: participant ?? null,
        day: null,
      }))
      return page(db, originsOf, { wanted, after, limit })
    },
    ListReconciliation: async ({ participant, windowId, day, cursor, limit }) => {
      const after = readCursor(cursor)
      if (after === undefined) return refusedWith(refuse('INVALID', 'cursor is none of ours'))
      if (participant === '') return refusedWith(refuse('INVALID', 'participant is missing'))
      if (day !== undefined && !isDay(day))
        return refusedWith(refuse('INVALID', `${day} is not a day`))
      const windows =
        windowId !== undefined ? [windowId] : day !== undefined ? await windowsOn(db, day) : []
      if (windows.length === 0) {
        return refusedWith(refuse('INVALID', 'neither a window nor a day is given'))
      }
      const wanted = windows.map((id): LineFilter => ({
        windowId: id,
        contents: null,
        participant,
        day: day ?? null,
      }))
      return page(db, originsOf, { wanted, after, limit })
    },
    GetLinesOutsideWindows: async ({ transferIds }) => {
      if (transferIds.length > ids_max) {
        throw new RangeError(`at most ${ids_max} transfers can be requested at once`)
      }
      return { rows: [...(await linesOutsideWindows(db, transferIds))] }
    },
    VerifySettlements: async () => {
      const { windowsCompared, differences } = await verifySettlements({ db, ledger }, new Date())
      return { windowsCompared, differences: [...differences] }
    },
  }
}

interface PageAsked {
  readonly wanted: readonly LineFilter[]
  readonly after: LineKey | null
  readonly limit: number | undefined
}

/** Reads window by window until the page is full. */
async function page(db: Database, originsOf: OriginsOf, asked: PageAsked) {
  const { wanted, after } = asked
  const limit = Math.min(Math.max(asked.limit ?? rows_default, 1), rows_max)
  const found: ReadLine[] = []
  for (const window of wanted) {
    if (after !== null && window.windowId < after.windowId) continue
    const key = after?.windowId === window.windowId ? after : null
    found.push(...(await linesAfter(db, window, key, limit - found.length)))
    if (found.length >= limit) break
  }
  const last = found.at(-1)
  const cursor = last === undefined || found.length < limit ? undefined : writeCursor(last.key)
  const rows = await originsOf(found.map(({ row }) => row))
  return { rows: { rows, cursor } }
}

function refusedWith({ reason, detail }: RefusedCommand) {
  return { refusal: { reason, detail } }
}
