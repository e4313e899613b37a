/** The history of an account in pages, with its value after each change. */
import type { Queries } from '@causeway/postgres'
import type { LedgerEntryKind } from '@causeway/protos'
import {
  changeAfter,
  kindsOf,
  linesIn,
  valueNow,
  type HistoryLine,
  type LineKey,
} from './history-store.ts'

export interface PositionChange extends HistoryLine {
  /** The account's value after the change. */
  readonly value: bigint
  /** Undefined: of an entry that is still to be posted. */
  readonly causeType: LedgerEntryKind | undefined
}

/** Where the next page begins: the key of the last line, and the account's value before it. */
export interface HistoryCursor {
  readonly batch: string
  readonly entryId: string
  readonly rank: string
  readonly value: string
}

export interface HistoryQuery {
  readonly accountId: number
  /** Undefined: any participant. */
  readonly name: string | undefined
  readonly from: string | null
  readonly to: string | null
  readonly cursor: HistoryCursor | null
  readonly limit: number
}

export interface History {
  readonly changes: readonly PositionChange[]
  /** Null when there are no more. */
  readonly cursor: HistoryCursor | null
  /** The account's value after all of these. */
  readonly value: bigint
}

/** The size of the first slice; each further one is `growth` times as large. */
const slice_batches = 1_000n
const growth = 4n

/** The newest first. Undefined when there is no such account. */
export async function historyOf(db: Queries, query: HistoryQuery): Promise<History | undefined> {
  const { accountId, name, from, to, limit } = query
  const present = await valueNow(db, accountId, name)
  if (present === undefined) return undefined
  const start = query.cursor === null ? await beginning(db, query, present) : keyIn(query.cursor)
  const lines: (HistoryLine & LineKey)[] = []
  let before: LineKey = start
  let size = slice_batches
  while (lines.length < limit && before.batch > 0n) {
    const above = before.batch > size ? before.batch - size : 0n
    const left = limit - lines.length
    lines.push(...(await linesIn(db, { accountId, above, before, limit: left, from, to })))
    before = { batch: above, entryId: highest, rank: 9 }
    size *= growth
  }
  const causes = await kindsOf(db, [...new Set(lines.map(({ entryId }) => entryId))])
  let value = start.value
  const changes = lines.map((line) => {
    const after = value
    value -= line.change
    return { ...line, value: after, causeType: causes.get(line.entryId) }
  })
  const last = lines.length < limit ? undefined : lines.at(-1)
  const cursor = last === undefined ? null : cursorOf(last, value)
  return { changes, cursor, value: start.value }
}

/** Greater than every id. */
const highest = '\u{10ffff}'

async function beginning(
  db: Queries,
  { accountId, to }: HistoryQuery,
  { value, batch }: { readonly value: bigint; readonly batch: bigint },
): Promise<LineKey & { readonly value: bigint }> {
  const later = to === null ? 0n : await changeAfter(db, accountId, batch, to)
  return { batch, entryId: highest, rank: 9, value: value - later }
}

function keyIn({ batch, entryId, rank, value }: HistoryCursor) {
  return { batch: BigInt(batch), entryId, rank: Number(rank), value: BigInt(value) }
}

function cursorOf({ batch, entryId, rank }: LineKey, value: bigint): HistoryCursor {
  return { batch: String(batch), entryId, rank: String(rank), value: String(value) }
}
