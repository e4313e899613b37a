/** The history of an account, a page at a time, with the value that it had after each change. */
import type { Queries } from '@causeway/runtime'
import {
  changeAfter,
  kindsOf,
  linesIn,
  valueNow,
  type HistoryLine,
  type Place,
} from './history-store.ts'

export interface PositionChange extends HistoryLine {
  /** Of the account after it. */
  readonly value: bigint
  readonly causeType: string
}

/** Where a page goes on: the place of its last line, and the value that the account had before it. */
export interface HistoryCursor {
  readonly batch: string
  readonly entryId: string
  readonly rank: string
  readonly value: string
}

export interface HistoryQuestion {
  readonly accountId: number
  /** '' means whosever it is. */
  readonly name: string
  readonly from: string | null
  readonly to: string | null
  readonly cursor: HistoryCursor | null
  readonly limit: number
}

export interface History {
  readonly changes: readonly PositionChange[]
  /** Null when there are no more. */
  readonly cursor: HistoryCursor | null
}

/** Of the first slice; each next one is so many times as large. */
const slice_batches = 1_000n
const growth = 4n

/** The newest first. Undefined when there is no such account. */
export async function historyOf(
  db: Queries,
  question: HistoryQuestion,
): Promise<History | undefined> {
  const { accountId, name, from, to, limit } = question
  const present = await valueNow(db, accountId, name)
  if (present === undefined) return undefined
  const start =
    question.cursor === null ? await beginning(db, question, present) : placeIn(question.cursor)
  const lines: (HistoryLine & Place)[] = []
  let before: Place = start
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
    return { ...line, value: after, causeType: causes.get(line.entryId) ?? '' }
  })
  const last = lines.length < limit ? undefined : lines.at(-1)
  return { changes, cursor: last === undefined ? null : cursorOf(last, value) }
}

/** Above every id. */
const highest = '\u{10ffff}'

async function beginning(
  db: Queries,
  { accountId, to }: HistoryQuestion,
  { value, batch }: { readonly value: bigint; readonly batch: bigint },
): Promise<Place & { readonly value: bigint }> {
  const later = to === null ? 0n : await changeAfter(db, accountId, batch, to)
  return { batch, entryId: highest, rank: 9, value: value - later }
}

function placeIn({ batch, entryId, rank, value }: HistoryCursor) {
  return { batch: BigInt(batch), entryId, rank: Number(rank), value: BigInt(value) }
}

function cursorOf({ batch, entryId, rank }: Place, value: bigint): HistoryCursor {
  return { batch: String(batch), entryId, rank: String(rank), value: String(value) }
}
