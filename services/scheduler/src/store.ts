/** All SQL of the service. The clock is that of the database, which all instances share. */
import { monthOf, statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { ScheduledReminderState } from '@causeway/protos'
import type { NextReminderState } from './domain/firing.ts'
import type { Recovery, Reminder, TaskType } from './domain/reminder.ts'

const columns = `reminder_id, owner, once_at, cron, payload, task_type, url, recovery, state, due_at,
  attempts, last_error, created_at`

interface ReminderRow {
  readonly reminder_id: string
  readonly owner: string
  readonly once_at: Date | null
  readonly cron: string | null
  readonly payload: string
  readonly task_type: TaskType
  readonly url: string | null
  readonly recovery: Recovery
  readonly state: ScheduledReminderState
  readonly due_at: Date
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: Date
}

export interface StoredReminder {
  readonly reminder: Reminder
  readonly state: ScheduledReminderState
  readonly dueAt: Date
  /** Failed attempts for this time so far. */
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: Date
}

function storedOf(row: ReminderRow): StoredReminder {
  return {
    reminder: {
      id: row.reminder_id,
      owner: row.owner,
      schedule:
        row.cron === null
          ? { type: 'ONCE', at: row.once_at ?? row.due_at }
          : { type: 'CRON', cron: row.cron },
      payload: row.payload,
      taskType: row.task_type,
      url: row.url ?? undefined,
      recovery: row.recovery,
    },
    state: row.state,
    dueAt: row.due_at,
    attempts: row.attempts,
    lastError: row.last_error,
    createdAt: row.created_at,
  }
}

const insertReminder = statement(`
  insert into reminders (reminder_id, owner, once_at, cron, payload, task_type, url, recovery, due_at,
    next_attempt_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10)
  on conflict (reminder_id) do nothing
  returning reminder_id`)

/** False when the id is taken. */
export async function addReminder(
  tx: Transaction,
  { id, owner, schedule, payload, taskType, url, recovery }: Reminder,
  dueAt: Date,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(insertReminder, [
    id,
    owner,
    schedule.type === 'ONCE' ? schedule.at : null,
    schedule.type === 'CRON' ? schedule.cron : null,
    payload,
    taskType,
    url ?? null,
    recovery,
    dueAt,
    now,
  ])
  return rows.length > 0
}

const selectReminder = statement(
  `select ${columns} from reminders where reminder_id = $1 for update`,
)

export async function lockReminder(
  tx: Transaction,
  id: string,
): Promise<StoredReminder | undefined> {
  const [row] = await tx.query<ReminderRow>(selectReminder, [id])
  return row && storedOf(row)
}

const deleteReminder = statement(
  `delete from reminders where reminder_id = $1 returning ${columns}`,
)

export async function removeReminder(
  tx: Transaction,
  id: string,
): Promise<StoredReminder | undefined> {
  const [row] = await tx.query<ReminderRow>(deleteReminder, [id])
  return row && storedOf(row)
}

const retryFailed = statement(`
  update reminders set state = 'WAITING', attempts = 0, next_attempt_at = $2, last_error = null
  where reminder_id = $1`)

/** It is delivered again, for the time that it failed for. */
export async function retryReminder(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.query(retryFailed, [id, now])
}

const listReminders = statement(`
  select ${columns} from reminders
  where ($1::text[] is null or owner = any($1::text[])) and ($2::text is null or state = $2)
  order by reminder_id limit $3`)

export interface ReminderFilter {
  /** Undefined: any. */
  /** undefined: of all. */
  readonly owners: readonly string[] | undefined
  readonly state: ScheduledReminderState | undefined
}

export async function remindersOf(
  db: Queries,
  { owners, state }: ReminderFilter,
  rows_max: number,
): Promise<readonly StoredReminder[]> {
  return (
    await db.query<ReminderRow>(listReminders, [
      owners === undefined ? null : textArray(owners),
      state ?? null,
      rows_max,
    ])
  ).map(storedOf)
}

const anyDue = statement(`
  select exists (
    select from reminders
    where state = 'WAITING' and task_type = 'EVENT' and next_attempt_at <= clock_timestamp()
  ) or exists (
    select from reminders
    where state = 'WAITING' and task_type = 'HTTP_POST' and next_attempt_at <= clock_timestamp()
  ) as due`)

/** One cheap statement, because most of the time nothing is due. */
export async function isAnyDue(db: Queries): Promise<boolean> {
  const [row] = await db.query<{ readonly due: boolean }>(anyDue, [])
  return row?.due === true
}

const lockDue = statement(`
  select ${columns} from reminders
  where state = 'WAITING' and task_type = 'EVENT' and next_attempt_at <= $1
  order by next_attempt_at, reminder_id limit $2
  for update skip locked`)

/** Due reminders of type EVENT, locked until the commit. */
export async function lockDueEvents(
  tx: Transaction,
  now: Date,
  rows_max: number,
): Promise<readonly StoredReminder[]> {
  return (await tx.query<ReminderRow>(lockDue, [now, rows_max])).map(storedOf)
}

const leaseDue = statement(`
  with due as (
    select reminder_id as id from reminders
    where state = 'WAITING' and task_type = 'HTTP_POST' and next_attempt_at <= $1
      and leased_until <= $1
    order by next_attempt_at, reminder_id limit $2
    for update skip locked
  )
  update reminders set leased_until = $3 from due where reminder_id = due.id
  returning ${columns}`)

/** Due reminders of type HTTP_POST, leased to the caller until `until`. */
export async function leaseDuePosts(
  db: Queries,
  { now, until, rows_max }: { readonly now: Date; readonly until: Date; readonly rows_max: number },
): Promise<readonly StoredReminder[]> {
  return (await db.query<ReminderRow>(leaseDue, [now, rows_max, until])).map(storedOf)
}

/** The result of one attempt of a due reminder. */
export interface AttemptOutcome {
  readonly stored: StoredReminder
  readonly step: NextReminderState
  /** Null: it was delivered. */
  readonly error: string | null
}

const lockUnchanged = statement(`
  select reminder_id from reminders
  where (reminder_id, due_at, attempts) in (
    select * from unnest($1::text[], $2::text[]::timestamptz[], $3::text[]::integer[]))
  order by reminder_id for update`)

const settleReminders = statement(`
  update reminders set state = next.state, due_at = next.due_at, attempts = next.attempts,
    next_attempt_at = next.attempt_at, last_error = next.error, leased_until = '-infinity'
  from unnest($1::text[], $2::text[], $3::text[]::timestamptz[], $4::text[]::timestamptz[],
    $5::text[]::integer[], $6::text[]) as next (id, state, due_at, attempt_at, attempts, error)
  where reminder_id = next.id`)

const deleteReminders = statement(`delete from reminders where reminder_id = any($1::text[])`)

/**
 * Stores the outcomes and returns those that it stored. A reminder that was deleted, or that another
 * instance settled after the lease had expired, is not changed.
 */
export async function settle(
  tx: Transaction,
  outcomes: readonly AttemptOutcome[],
  now: Date,
): Promise<readonly AttemptOutcome[]> {
  const still = await tx.query<{ readonly reminder_id: string }>(lockUnchanged, [
    textArray(outcomes.map(({ stored }) => stored.reminder.id)),
    textArray(outcomes.map(({ stored }) => stored.dueAt.toISOString())),
    textArray(outcomes.map(({ stored }) => String(stored.attempts))),
  ])
  const ids = new Set(still.map(({ reminder_id }) => reminder_id))
  const valid = outcomes.filter(({ stored }) => ids.has(stored.reminder.id))
  const gone = valid.filter(({ step }) => step.type === 'GONE')
  const changes = valid.flatMap(changeOf)
  if (gone.length > 0) {
    await tx.query(deleteReminders, [textArray(gone.map(({ stored }) => stored.reminder.id))])
  }
  if (changes.length > 0) {
    await tx.query(settleReminders, [
      textArray(changes.map(({ id }) => id)),
      textArray(changes.map(({ state }) => state)),
      textArray(changes.map(({ dueAt }) => dueAt.toISOString())),
      textArray(changes.map(({ attemptAt }) => attemptAt.toISOString())),
      textArray(changes.map(({ attempts }) => String(attempts))),
      textArray(changes.map(({ error }) => error)),
    ])
  }
  await appendHistory(
    tx,
    valid.flatMap((outcome) => historyOf(outcome)),
    now,
  )
  return valid
}

interface StoredChange {
  readonly id: string
  readonly state: ScheduledReminderState
  readonly dueAt: Date
  readonly attemptAt: Date
  readonly attempts: number
  readonly error: string | null
}

function changeOf({ stored, step, error }: AttemptOutcome): readonly StoredChange[] {
  const { reminder, dueAt } = stored
  const { id } = reminder
  const attempts = stored.attempts + 1
  switch (step.type) {
    case 'GONE':
      return []
    case 'NEXT':
      return [
        { id, state: 'WAITING', dueAt: step.dueAt, attemptAt: step.dueAt, attempts: 0, error },
      ]
    case 'AGAIN':
      return [{ id, state: 'WAITING', dueAt, attemptAt: step.at, attempts, error }]
    case 'FAILED':
      return [{ id, state: 'FAILED', dueAt, attemptAt: dueAt, attempts, error }]
  }
}

/** An entry of the history of a reminder. */
export interface HistoryEntry {
  readonly id: string
  readonly owner: string
  readonly what: 'CREATED' | 'DELETED' | 'FIRED' | 'FAILED' | 'RETRIED'
  readonly dueAt: Date | null
  readonly attempts: number
  readonly detail: string | null
}

/** FIRED or FAILED for this due time. An attempt that is retried has no entry. */
function historyOf({ stored, step, error }: AttemptOutcome): readonly HistoryEntry[] {
  if (step.type === 'AGAIN') return []
  const { reminder, dueAt } = stored
  const what = error === null ? 'FIRED' : 'FAILED'
  const attempts = stored.attempts + 1
  return [{ id: reminder.id, owner: reminder.owner, what, dueAt, attempts, detail: error }]
}

const insertHistory = statement(`
  insert into reminder_history (month, at, reminder_id, owner, what, due_at, attempts, detail)
  select $1::date, $2::timestamptz, * from unnest($3::text[], $4::text[], $5::text[],
    $6::text[]::timestamptz[], $7::text[]::integer[], $8::text[])`)

export async function appendHistory(
  tx: Transaction,
  entries: readonly HistoryEntry[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return
  await tx.query(insertHistory, [
    monthOf(now),
    now,
    textArray(entries.map(({ id }) => id)),
    textArray(entries.map(({ owner }) => owner)),
    textArray(entries.map(({ what }) => what)),
    textArray(entries.map(({ dueAt }) => dueAt?.toISOString() ?? null)),
    textArray(entries.map(({ attempts }) => String(attempts))),
    textArray(entries.map(({ detail }) => detail)),
  ])
}
