/** The SQL of parked notifications: which FSPs have any, and claiming them for the next attempt. */
import { plainBodies, type Bodies } from '@causeway/keys/months'
import { statement, textArray, type Queries } from '@causeway/postgres'
import { storedNotification, type Notification } from './contract.ts'
import type { Try } from './domain/tries.ts'
import { triesOf } from './store.ts'

/** The free slots of an FSP for parked notifications of one source. */
export interface Room {
  readonly fspId: string
  readonly source: string
  readonly slots: number
  /** Whether it is a trial, which ignores the pause of the claimed notification. */
  readonly trial: boolean
}

/** An undelivered notification, claimed for an attempt. */
export interface Claimed {
  readonly notification: Notification
  readonly attempts: number
  readonly tries: readonly Try[]
  /** Its body is erased or cannot be read: it is empty here, and not to be sent. */
  readonly unreadable: boolean
}

interface ClaimedRow {
  readonly request: unknown
  readonly body: Buffer
  readonly deadline: Date
  readonly taken_at: Date
  readonly month: string
  readonly attempts: number
  readonly tries: string | null
}

/** Only the oldest of each entity is sent. A resent dead letter is older than the current one. */
const claimDueRows = statement(`
  with rooms as (
    select fsp_id, source, slots, case when trial then 'infinity' else $5::timestamptz end as due_by
    from unnest($1::text[], $2::text[], $3::text[]::int[], $4::text[]::bool[])
      as r(fsp_id, source, slots, trial)
  ), due as (
    select picked.notification_id, picked.month from rooms cross join lateral (
      select u.notification_id, u.month from undelivered u
      where u.state = 'PARKED' and u.at_turn and u.fsp_id = rooms.fsp_id
        and u.source = rooms.source and u.busy_until <= $5 and u.next_attempt_at <= rooms.due_by
        and not exists (
          select from undelivered older
          where older.fsp_id = u.fsp_id and older.entity_id = u.entity_id
            and older.state = 'PARKED' and older.n < u.n offset 0)
      order by u.next_attempt_at limit rooms.slots for update skip locked
    ) picked limit $6
  )
  update undelivered u set busy_until = $7 from due
  where u.notification_id = due.notification_id and u.month = due.month
  returning u.request, u.body, u.deadline, u.taken_at, u.month::text, u.attempts, u.tries`)

const claimExpiredRows = statement(`
  with expired as (
    select notification_id, month from undelivered
    where state = 'PARKED' and deadline <= $1 and busy_until <= $1
    order by state, deadline limit $2 for update skip locked
  )
  update undelivered u set busy_until = $3 from expired
  where u.notification_id = expired.notification_id and u.month = expired.month
  returning u.request, u.body, u.deadline, u.taken_at, u.month::text, u.attempts, u.tries`)

export interface ClaimBounds {
  readonly now: Date
  /** The end of the claim. */
  readonly until: Date
  readonly rows_max: number
}

/** Claims parked notifications that are due, for FSPs with free slots. */
export async function claimDue(
  db: Queries,
  rooms: readonly Room[],
  { now, until, rows_max }: ClaimBounds,
  bodies: Bodies = plainBodies,
): Promise<readonly Claimed[]> {
  const rows = await db.query<ClaimedRow>(claimDueRows, [
    textArray(rooms.map(({ fspId }) => fspId)),
    textArray(rooms.map(({ source }) => source)),
    textArray(rooms.map(({ slots }) => String(slots))),
    textArray(rooms.map(({ trial }) => String(trial))),
    now,
    rows_max,
    until,
  ])
  return claimedIn(rows, bodies)
}

/** Claims parked notifications whose deadline has passed. */
export async function claimExpired(
  db: Queries,
  { now, until, rows_max }: ClaimBounds,
  bodies: Bodies = plainBodies,
): Promise<readonly Claimed[]> {
  const rows = await db.query<ClaimedRow>(claimExpiredRows, [now, rows_max, until])
  return claimedIn(rows, bodies)
}

async function claimedIn(rows: readonly ClaimedRow[], bodies: Bodies): Promise<readonly Claimed[]> {
  const opened = await bodies.open(rows.map(({ body }) => body))
  return rows.map((row, at) => claimed(row, opened[at] ?? null))
}

function claimed(row: ClaimedRow, opened: Buffer | null): Claimed {
  const { request, deadline, taken_at, month, attempts, tries } = row
  const body = opened ?? Buffer.alloc(0)
  const notification = storedNotification(request, body, deadline.getTime(), taken_at.getTime())
  return {
    notification: { ...notification, month },
    attempts,
    tries: triesOf(tries),
    unreadable: opened === null,
  }
}

/** A loose index scan: skips from one FSP to the next. */
const selectWaiting = statement(`
  with recursive fsps as (
    (select fsp_id from undelivered where state = 'PARKED' and at_turn order by fsp_id limit 1)
    union all
    select (
      select u.fsp_id from undelivered u
      where u.state = 'PARKED' and u.at_turn and u.fsp_id > fsps.fsp_id order by u.fsp_id limit 1)
    from fsps where fsps.fsp_id is not null
  )
  select fsp_id from fsps where fsp_id is not null`)

/** The FSPs that have parked notifications. */
export async function readWaiting(db: Queries): Promise<readonly string[]> {
  const rows = await db.query<{ readonly fsp_id: string }>(selectWaiting, [])
  return rows.map(({ fsp_id }) => fsp_id)
}

const selectSources = statement(`
  select asked.fsp_id, found.source from unnest($1::text[]) as asked(fsp_id) cross join lateral (
    with recursive sources as (
      (select source from undelivered
        where state = 'PARKED' and at_turn and fsp_id = asked.fsp_id order by source limit 1)
      union all
      select (
        select u.source from undelivered u
        where u.state = 'PARKED' and u.at_turn and u.fsp_id = asked.fsp_id
          and u.source > sources.source
        order by u.source limit 1)
      from sources where sources.source is not null
    )
    select source from sources where source is not null
  ) found`)

/** The sources of the notifications parked for these FSPs, in order for each FSP. */
export async function readSources(
  db: Queries,
  fspIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.query<{ readonly fsp_id: string; readonly source: string }>(selectSources, [
    textArray(fspIds),
  ])
  const byFsp = new Map<string, string[]>()
  for (const { fsp_id, source } of rows) {
    const known = byFsp.get(fsp_id)
    if (known === undefined) byFsp.set(fsp_id, [source])
    else known.push(source)
  }
  return byFsp
}

const makeDue = statement(`
  update undelivered set next_attempt_at = $2
  where state = 'PARKED' and at_turn and fsp_id = $1 and next_attempt_at > $2 and busy_until <= $2`)

/** Makes everything parked for an FSP due at once. */
export async function endPauses(db: Queries, fspId: string, now: Date): Promise<void> {
  await db.query(makeDue, [fspId, now])
}
