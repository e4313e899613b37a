/**
 * A search from the newest row to the oldest. It walks along an index, reads a bounded number of rows
 * for each page, and goes on where that walk ended.
 */

/** Where a page begins: behind this row. */
export interface Place {
  /** The time by which the rows are ordered. */
  readonly at: Date
  readonly id: string
}

const theEnd: Place = { at: new Date('9999-12-31T23:59:59.999Z'), id: '' }

/** Where a search begins that goes back from this time, ISO 8601 UTC. */
export function beforeTime(to: string | undefined): Place {
  return to === undefined ? theEnd : { at: new Date(to), id: '' }
}

/** `<time> <id>`, as `nextText` writes it; undefined for anything else. */
export function placeIn(after = ''): Place | undefined {
  const [time = '', id = ''] = after.split(' ')
  const at = new Date(time)
  return id === '' || Number.isNaN(at.getTime()) ? undefined : { at, id }
}

/** undefined where there is no next page. */
export function nextText(next: Place | undefined): string | undefined {
  return next && `${next.at.toISOString()} ${next.id}`
}

export interface WalkSearch {
  /** undefined: of any FSP. */
  readonly fspId: string | undefined
  /** Empty: in any state. */
  readonly states: readonly string[]
  readonly from: Date | undefined
  readonly before: Place
  readonly rows_max: number
}

export interface FoundPage<Row> {
  readonly rows: readonly Row[]
  /** undefined: there are no more. */
  readonly next: Place | undefined
}

/** Rows that one page looks at to find those in the states that are asked for. */
export const scanned_usual = 10_000

/** Of the rows of one FSP, the sixth parameter: as payer FSP or as payee FSP. */
export const ofFspConditions = ['payer_fsp = $6', 'payee_fsp = $6 and payer_fsp <> $6'] as const

export interface Walked {
  readonly table: string
  /** With id, the time and state. */
  readonly columns: string
  /** The column of the time. */
  readonly time: 'created_at' | 'received_at'
  readonly scanned_max: number
}

/**
 * The page of the rows that fit one of the conditions, each of which has an index with the time and id. Parameters: time and id of the place, the earliest time, the states, and the rows of the page.
 */
export function pageStatement(walked: Walked, ...conditions: readonly string[]): string {
  const { scanned_max, time } = walked
  const walks = conditions.map((condition) => walk(walked, condition)).join(' union all ')
  return `
    with walked as materialized (
      select * from (${walks}) w order by ${time} desc, id desc limit ${scanned_max}
    ), page as (
      select * from walked where $4::text[] = '{}' or state = any ($4::text[])
      order by ${time} desc, id desc limit $5::integer
    ), walk_end as (
      select ${time} as end_at, id as end_id from walked order by ${time}, id limit 1
    )
    select page.*, end_at, end_id
    from (select count(*) as walked from walked) c
    left join walk_end on c.walked = ${scanned_max}
    left join page on true
    order by page.${time} desc, page.id desc`
}

function walk({ table, columns, time, scanned_max }: Walked, condition: string): string {
  return `(select ${columns} from ${table}
    where ${condition} and (${time}, id) < ($1::timestamptz, $2::text collate "C")
      and ${time} >= $3::timestamptz
    order by ${time} desc, id desc limit ${scanned_max})`
}

interface RowWithId {
  readonly id: string
}

/** One without id where the page is empty. */
export type WalkedRow<Row extends RowWithId> = (Row | { readonly id: null }) & {
  /** Where the walk ended before its time. */
  readonly end_at: Date | null
  readonly end_id: string | null
}

export function foundIn<Row extends RowWithId>(
  walked: readonly WalkedRow<Row>[],
  rows_max: number,
  timeOf: (row: Row) => Date,
): FoundPage<Row> {
  const rows = walked.flatMap((row) => (isRow(row) ? [row] : []))
  const last = rows.at(-1)
  if (rows.length === rows_max && last !== undefined) {
    return { rows, next: { at: timeOf(last), id: last.id } }
  }
  const { end_at = null, end_id = null } = walked[0] ?? {}
  if (end_at === null || end_id === null) return { rows, next: undefined }
  return { rows, next: { at: end_at, id: end_id } }
}

function isRow<Row extends RowWithId>(row: WalkedRow<Row>): row is WalkedRow<Row> & Row {
  return row.id !== null
}
