/**
 * Tells of reminders whose time has come. An event leaves with the change of its reminder, in one
 * transaction on rows that nobody else holds; a POST is made under a lease, so that one instance alone
 * makes it. Told at least once: a crash after the POST and before its change has it made again.
 */
import { derivedId, newEvent } from '@causeway/events'
import type { Database, EventBus, HttpClient, Logger, OutgoingMessage } from '@causeway/runtime'
import { afterFailure, afterTold, type FiringBounds } from './domain/firing.ts'
import {
  isAnyDue,
  leaseDuePosts,
  lockDueEvents,
  readClock,
  settle,
  type Outcome,
  type StoredReminder,
} from './store.ts'

export interface TellParts {
  readonly db: Database
  readonly bus: EventBus
  readonly http: HttpClient
  readonly log: Logger
  readonly timeout_ms: number
  readonly bounds: FiringBounds
  readonly onOutcome: (outcome: Outcome) => void
}

const events_max = 100
const posts_max = 32
/** An answer is stored within this time, or the reminder is told again. */
const storing_ms = 5_000
const error_length_max = 500

/** Works off everything that is due now. */
export async function tellDue(parts: TellParts): Promise<void> {
  let more = await isAnyDue(parts.db)
  if (!more) return
  while (more) more = (await tellEvents(parts)) === events_max
  more = true
  while (more) more = (await postDue(parts)) === posts_max
}

async function tellEvents({ db, bus, onOutcome }: TellParts): Promise<number> {
  const outcomes = await db.transaction(async (tx) => {
    const now = await readClock(tx)
    const due = await lockDueEvents(tx, now, events_max)
    if (due.length === 0) return []
    const told = due.map((stored): Outcome => ({
      stored,
      step: afterTold(stored.reminder.schedule, now),
      error: null,
    }))
    await settle(tx, told, now)
    bus.announce(tx, due.map(dueEvent))
    return told
  })
  for (const outcome of outcomes) onOutcome(outcome)
  return outcomes.length
}

/** The same time always makes the same event. */
function dueEvent({ reminder, dueAt }: StoredReminder): OutgoingMessage {
  const { id: reminderId, owner, payload } = reminder
  const time = dueAt.toISOString()
  return newEvent(
    'scheduler',
    'ScheduleReminderDue',
    { reminderId, owner, dueAt: time, payload },
    { id: derivedId(`${reminderId}/${time}`, 'ScheduleReminderDue') },
  )
}

async function postDue(parts: TellParts): Promise<number> {
  const { db } = parts
  const now = await readClock(db)
  const until = new Date(now.getTime() + parts.timeout_ms + storing_ms)
  const due = await leaseDuePosts(db, { now, until, rows_max: posts_max })
  await Promise.all(
    due.map(async (stored) => {
      const error = await post(parts.http, stored)
      await settlePost(parts, stored, error)
    }),
  )
  return due.length
}

/** Null when the server took it. */
async function post(http: HttpClient, { reminder, dueAt }: StoredReminder): Promise<string | null> {
  try {
    const { status } = await http.request({
      method: 'POST',
      url: reminder.url,
      headers: {
        'content-type': 'application/json',
        'reminder-id': encodeURIComponent(reminder.id),
        'reminder-due-at': dueAt.toISOString(),
      },
      body: Buffer.from(reminder.payload),
    })
    return status >= 200 && status < 300 ? null : `answered ${status}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function settlePost(
  { db, bus, log, bounds, onOutcome }: TellParts,
  stored: StoredReminder,
  error: string | null,
): Promise<void> {
  const { reminder } = stored
  const outcome = await db.transaction(async (tx): Promise<Outcome> => {
    const now = await readClock(tx)
    const firing = { ...reminder, attempts: stored.attempts + 1 }
    const step =
      error === null
        ? afterTold(reminder.schedule, now)
        : afterFailure(firing, now, Math.random(), bounds)
    const result: Outcome = { stored, step, error }
    await settle(tx, [result], now)
    if (isGivenUp(result)) bus.announce(tx, [failedEvent(result, result.error)])
    return result
  })
  if (isGivenUp(outcome)) {
    const { id, owner, recovery } = reminder
    log.error({ id, owner, recovery, error }, 'ALARM a reminder was given up for this time')
  }
  onOutcome(outcome)
}

type GivenUp = Outcome & { readonly error: string }

/** Nobody was told, and for this time nobody will be. */
function isGivenUp(outcome: Outcome): outcome is GivenUp {
  return outcome.error !== null && outcome.step.type !== 'AGAIN'
}

/** People have to know, whatever the owner does without it. */
function failedEvent({ stored, step }: Outcome, error: string): OutgoingMessage {
  const { reminder, dueAt } = stored
  const time = dueAt.toISOString()
  return newEvent(
    'scheduler',
    'ScheduleReminderFailed',
    {
      reminderId: reminder.id,
      owner: reminder.owner,
      dueAt: time,
      attempts: stored.attempts + 1,
      error: error.slice(0, error_length_max),
      nextAt: step.type === 'NEXT' ? step.dueAt.toISOString() : null,
    },
    { id: derivedId(`${reminder.id}/${time}`, 'ScheduleReminderFailed') },
  )
}
