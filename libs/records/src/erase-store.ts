/**
 * Goes through stored messages, page by page and month by month, and replaces those of one person. What was
 * replaced is not found again, so a page may come twice.
 */
import { byteaArray, statement, textArray, type Database } from '@causeway/postgres'

/** A table of messages, partitioned by `month`. */
export interface Messages {
  readonly table: string
  /** With `also` and the month it is the primary key. */
  readonly id: string
  readonly also: string
  /** The PostgreSQL type of `also`. */
  readonly alsoType: 'text' | 'uuid'
  /** SQL that is true when no step of the payment needs the message `m` any more. */
  readonly settled: string
}

export interface ErasedPage {
  readonly erased: number
  /** Where the next page begins; undefined: this was the last one. */
  readonly next?: string
}

export interface Erasing {
  readonly tables: readonly Messages[]
  /** In plain; null for one that is erased. */
  readonly open: (stored: readonly (Buffer | null)[]) => Promise<readonly (Buffer | null)[]>
  readonly concerns: (body: Buffer) => boolean
  /** Stored in place of a body. */
  readonly replacement: Buffer
}

interface Place {
  readonly table: string
  readonly month: string
  readonly id: string
  readonly also: string
}

interface ErasableRow {
  readonly id: string
  readonly also: string
  readonly body: Buffer
}

const rows_max = 1_000

const selectMonths = statement(`
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = $1::text::regclass and not i.inhdetachpending
  order by 1`)

/** @param cursor the `next` of the page before; undefined: the first page */
export async function erasePage(
  db: Database,
  { tables, open, concerns, replacement }: Erasing,
  cursor: string | undefined,
): Promise<ErasedPage> {
  const place = cursor === undefined ? await placeAfter(db, tables, undefined) : placeIn(cursor)
  const messages = tables.find(({ table }) => table === place?.table)
  if (place === undefined || messages === undefined) return { erased: 0 }
  const { table, month, id, also } = place
  const rows = await db.query<ErasableRow>(selectPage(messages), [month, id, also])
  const bodies = await open(rows.map(({ body }) => body))
  const found = rows.filter((_, at) => {
    const body = bodies[at] ?? null
    return body !== null && concerns(body)
  })
  if (found.length > 0) {
    const replaced = await db.query(replaceRows(messages), [
      month,
      textArray(found.map((row) => row.id)),
      textArray(found.map((row) => row.also)),
      byteaArray(found.map(() => replacement)),
    ])
    // The page comes again, until the payments of the others have ended.
    if (replaced.length < found.length) {
      return { erased: replaced.length, next: JSON.stringify(place) }
    }
  }
  const last = rows.length < rows_max ? undefined : rows.at(-1)
  const after =
    last === undefined
      ? await placeAfter(db, tables, place)
      : { table, month, id: last.id, also: last.also }
  const erased = found.length
  return after === undefined ? { erased } : { erased, next: JSON.stringify(after) }
}

/** SQL: no row of the table is like that; it is called `o`. */
export function ofNone(table: string, condition: string): string {
  return `not exists (select from ${table} o where ${condition})`
}

function selectPage({ table, id, also }: Messages) {
  return statement(`
    select ${id} as id, ${also}::text as also, body from ${table}
    where month = $1::date and ${id} >= $2::text collate "C"
      and (${id}, ${also}::text) > ($2::text collate "C", $3::text)
    order by ${id}, ${also}::text limit ${rows_max}`)
}

function replaceRows({ table, id, also, alsoType, settled }: Messages) {
  return statement(`
    update ${table} m set body = a.body, headers = null
    from unnest($2::text[], $3::text[]::${alsoType}[], $4::bytea[]) as a (id, also, body)
    where m.month = $1::date and m.${id} = a.id collate "C" and m.${also} = a.also
      and ${settled}
    returning 1`)
}

/** The beginning of the next month of the table, or of the first one of the next table. */
async function placeAfter(
  db: Database,
  tables: readonly Messages[],
  place: Place | undefined,
): Promise<Place | undefined> {
  const from = place === undefined ? 0 : tables.findIndex(({ table }) => table === place.table)
  for (const { table } of tables.slice(from)) {
    const months = await monthsOf(db, table)
    const month = months.find((one) => table !== place?.table || one > place.month)
    if (month !== undefined) return { table, month, id: '', also: '' }
  }
  return undefined
}

async function monthsOf(db: Database, table: string): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(selectMonths, [table])
  return rows.map(({ name }) => `${name.slice(table.length + 1).replace('_', '-')}-01`)
}

/** Throws for a text that is none of `next`. */
function placeIn(cursor: string): Place {
  return JSON.parse(cursor) as Place
}
