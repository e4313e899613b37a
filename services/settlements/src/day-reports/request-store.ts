/**
 * The reports that are still to be made. A request is stored together with the end of its day; the time
 * of a read is stored before anything is read, so that every line that arrives later is marked as late.
 */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { RequestedReportReason } from '@causeway/protos'

export interface NewRequest {
  readonly day: string
  readonly scope: string
  readonly until: Date
  readonly reason: RequestedReportReason
  readonly actor: string
}

const insertDay = statement(`
  insert into report_days (day, scope, until_at)
  select * from unnest($1::text[]::date[], $2::text[], $3::text[]::timestamptz[])
  on conflict do nothing
  returning day`)

/** A day that ended before keeps its end. */
const insertRequest = statement(`
  insert into report_requests (day, scope, reason, actor, requested_at, due_at)
  select wanted.day, wanted.scope, wanted.reason, wanted.actor, clock_timestamp(),
    greatest(days.until_at + $5::text::integer * interval '1 ms',
      case when wanted.reason = 'SCHEDULE' then days.until_at else clock_timestamp() end)
  from unnest($1::text[]::date[], $2::text[], $3::text[], $4::text[])
    as wanted (day, scope, reason, actor)
  join report_days days using (day, scope)
  where wanted.reason <> 'SCHEDULE' or days.version = 0
  on conflict do nothing`)

/** Requests of the same day are one; a scheduled one is none where the day has its report. */
export async function requestReports(
  tx: Transaction,
  requests: readonly NewRequest[],
  delay_ms: number,
): Promise<void> {
  const days = textArray(requests.map(({ day }) => day))
  const scopes = textArray(requests.map(({ scope }) => scope))
  await tx.query(insertDay, [
    days,
    scopes,
    textArray(requests.map(({ until }) => until.toISOString())),
  ])
  await tx.query(insertRequest, [
    days,
    scopes,
    textArray(requests.map(({ reason }) => reason)),
    textArray(requests.map(({ actor }) => actor)),
    String(delay_ms),
  ])
}

const lastDay = statement(`
  select max(day)::text as day from report_days
  where scope = $1 and ($2::text is null or day < $2::text::date)`)

/**
 * The last day of the scope that has ended; null: none has.
 * @param before only days before this one
 */
export async function lastReportedDay(
  db: Queries,
  scope: string,
  before: string | null = null,
): Promise<string | null> {
  const [row] = await db.query<{ readonly day: string | null }>(lastDay, [scope, before])
  return row?.day ?? null
}

export interface DayState {
  readonly until: Date
  /** The last version; 0: none yet. */
  readonly version: number
  /** Whether a report is still to be made. */
  readonly isRequested: boolean
  /** Why the last attempt failed; null: none has. */
  readonly lastError: string | null
}

const dayState = statement(`
  select days.until_at, days.version, requests.day is not null as requested, requests.last_error
  from report_days days left join report_requests requests using (day, scope)
  where days.day = $1::date and days.scope = $2`)

export async function dayStateOf(
  db: Queries,
  day: string,
  scope: string,
): Promise<DayState | undefined> {
  const [row] = await db.query<{
    readonly until_at: Date
    readonly version: number
    readonly requested: boolean
    readonly last_error: string | null
  }>(dayState, [day, scope])
  return (
    row && {
      until: row.until_at,
      version: row.version,
      isRequested: row.requested,
      lastError: row.last_error,
    }
  )
}

export interface RequestedRow {
  readonly day: string
  readonly scope: string
  readonly reason: RequestedReportReason
  readonly due_at: Date
  readonly last_error: string | null
}

const selectRequests = statement(`
  select day::text as day, scope, reason, due_at, last_error from report_requests
  order by report_requests.day, scope limit 100`)

/** The earliest first. */
export async function readRequests(db: Queries): Promise<readonly RequestedRow[]> {
  return db.query<RequestedRow>(selectRequests, [])
}

/** A request that this process holds until its lease ends. */
export interface Leased extends Omit<NewRequest, 'until'> {
  readonly until: Date
  readonly lease: string
}

/** Days of a scope are made in their order, because each begins where the one before has ended. */
const takeRequest = statement(`
  with next as (
    select day, scope from report_requests requests
    where due_at <= clock_timestamp() and leased_until <= clock_timestamp()
      and not exists (
        select from report_requests earlier
        where earlier.scope = requests.scope and earlier.day < requests.day)
    order by due_at, scope limit 1
    for update skip locked
  )
  update report_requests requests
  set leased_until = clock_timestamp() + $1::text::integer * interval '1 ms', lease = $2::text::uuid
  from next join report_days days using (day, scope)
  where requests.day = next.day and requests.scope = next.scope
  returning requests.day::text as day, requests.scope, requests.reason, requests.actor,
    days.until_at`)

export async function takeDueRequest(
  db: Queries,
  lease: string,
  lease_ms: number,
): Promise<Leased | undefined> {
  const [row] = await db.query<{
    readonly day: string
    readonly scope: string
    readonly reason: RequestedReportReason
    readonly actor: string
    readonly until_at: Date
  }>(takeRequest, [String(lease_ms), lease])
  if (row === undefined) return undefined
  const { until_at: until, ...request } = row
  return { ...request, until, lease }
}

const renew = statement(`
  update report_requests
  set leased_until = clock_timestamp() + $4::text::integer * interval '1 ms'
  where day = $1::date and scope = $2 and lease = $3::text::uuid
  returning day`)

/** False: another process has taken it. */
export async function renewLease(
  db: Queries,
  { day, scope, lease }: Leased,
  lease_ms: number,
): Promise<boolean> {
  return (await db.query(renew, [day, scope, lease, String(lease_ms)])).length > 0
}

const fail = statement(`
  update report_requests
  set leased_until = '-infinity', lease = null, last_error = $4,
    due_at = clock_timestamp() + $5::text::integer * interval '1 ms'
  where day = $1::date and scope = $2 and lease = $3::text::uuid`)

const error_length_max = 500

/** It is tried again after a pause. */
export async function failRequest(
  db: Queries,
  { day, scope, lease }: Leased,
  error: string,
  pause_ms: number,
): Promise<void> {
  await db.query(fail, [day, scope, lease, error.slice(0, error_length_max), String(pause_ms)])
}

const endRequest = statement(`
  delete from report_requests where day = $1::date and scope = $2 and lease = $3::text::uuid
  returning day`)

/** False: another process has made the report. */
export async function finishRequest(
  tx: Transaction,
  { day, scope, lease }: Leased,
): Promise<boolean> {
  return (await tx.query(endRequest, [day, scope, lease])).length > 0
}

const lockLines = statement(`lock table lines in share mode`)

const saveRead = statement(`
  update report_days set read_at = clock_timestamp() where day = $1::date and scope = $2`)

/** Waits for the lines that are being stored now: those that come later are marked as late. */
export async function beginReading(
  tx: Transaction,
  { day, scope }: Pick<Leased, 'day' | 'scope'>,
): Promise<void> {
  await tx.query(lockLines, [])
  await tx.query(saveRead, [day, scope])
}

const lateDays = statement(`
  select days.day::text as day, days.scope, days.until_at as until from report_days days
  where days.version > 0 and days.until_at > clock_timestamp() - $1::text::integer * interval '1 day'
    and exists (
      select from report_periods periods
      join lines on lines.currency = periods.currency and lines.late_at >= days.read_at
        and lines.finalised_at >= periods.from_at and lines.finalised_at < periods.until_at
      where periods.day = days.day and periods.scope = days.scope)`)

/** The days of which lines have arrived after they were last read, of the last so many days. */
export async function daysWithLateLines(
  db: Queries,
  days: number,
): Promise<readonly { readonly day: string; readonly scope: string; readonly until: Date }[]> {
  return db.query(lateDays, [String(days)])
}
