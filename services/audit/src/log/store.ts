/** The SQL of the log store. */
import { statement, textArray, type Queries } from '@causeway/postgres'
import { storable } from '../store.ts'

export interface NewLine {
  readonly lineId: string
  readonly loggedAt: Date
  readonly severity: number
  readonly source: string
  readonly appName: string
  readonly appVersion: string
  readonly component: string | null
  readonly message: string
  readonly meta: Readonly<Record<string, string>>
}

const insertLines = statement(`
  insert into log_lines
    (line_id, logged_at, received_at, severity, source, app_name, app_version, component, message, meta)
  select line_id, logged_at::timestamptz, $10, severity::smallint, source, app_name, app_version,
    component, message, meta::jsonb
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[])
    as row (line_id, logged_at, severity, source, app_name, app_version, component, message, meta)
  on conflict do nothing
  returning 1`)

/** Returns how many are new. */
export async function insertLogLines(
  db: Queries,
  lines: readonly NewLine[],
  now: Date,
): Promise<number> {
  const texts = (of: (line: NewLine) => string) =>
    textArray(lines.map((line) => storable(of(line))))
  const inserted = await db.query(insertLines, [
    texts(({ lineId }) => lineId),
    texts(({ loggedAt }) => loggedAt.toISOString()),
    texts(({ severity }) => String(severity)),
    texts(({ source }) => source),
    texts(({ appName }) => appName),
    texts(({ appVersion }) => appVersion),
    textArray(lines.map(({ component }) => component && storable(component))),
    texts(({ message }) => message),
    texts(({ meta }) => JSON.stringify(storableMembers(meta))),
    now,
  ])
  return inserted.length
}

function storableMembers(meta: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, value]) => [storable(name), storable(value)]),
  )
}

export interface LineRow extends Omit<NewLine, 'lineId'> {
  readonly id: string
}

export interface LogFilter {
  readonly source: string | null
  readonly severityMin: number
  readonly component: string | null
  readonly from: Date | null
  readonly to: Date | null
  readonly text: string | null
  readonly beforeId: string | null
  readonly limit: number
}

const selectLines = statement(`
  select id, logged_at as "loggedAt", severity, source, app_name as "appName",
    app_version as "appVersion", component, message, meta
  from log_lines
  where ($1::text is null or source = $1) and severity >= $2
    and ($3::text is null or component = $3)
    and ($4::timestamptz is null or logged_at >= $4)
    and ($5::timestamptz is null or logged_at < $5)
    and ($6::text is null or strpos(lower(message), lower($6)) > 0
      or exists (select from jsonb_each_text(meta) where strpos(lower(value), lower($6)) > 0))
    and ($7::text is null or id < $7::text::bigint)
  order by id desc
  limit $8`)

export async function findLogLines(db: Queries, filter: LogFilter): Promise<readonly LineRow[]> {
  return db.query<LineRow>(selectLines, [
    filter.source,
    filter.severityMin,
    filter.component,
    filter.from,
    filter.to,
    filter.text,
    filter.beforeId,
    filter.limit,
  ])
}

const describeLines = statement(`
  select count(*)::text as lines, min(logged_at) as "oldestAt", max(logged_at) as "newestAt",
    coalesce(sum(case when meta ->> 'dropped' ~ '^[0-9]{1,9}$' then (meta ->> 'dropped')::bigint end), 0)
      ::text as dropped
  from log_lines`)

export interface LogFacts {
  readonly lines: string
  readonly oldestAt: Date | null
  readonly newestAt: Date | null
  readonly dropped: string
}

export async function describeLog(db: Queries): Promise<LogFacts> {
  const [row] = await db.query<LogFacts>(describeLines, [])
  if (row === undefined) throw new Error('a count has no row')
  return row
}

const deleteLines = statement(`
  delete from log_lines where id in (
    select id from log_lines
    where received_at < $1 or id <= (select max(id) from log_lines) - $2::bigint
    order by id limit $3)
  returning 1`)

/** Deletes a slice of the oldest ones; returns how many. */
export async function deleteOldLines(
  db: Queries,
  before: Date,
  lines_max: number,
  slice: number,
): Promise<number> {
  return (await db.query(deleteLines, [before, lines_max, slice])).length
}
