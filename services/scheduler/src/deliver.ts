/**
 * Delivers reminders that are due. An event is published in the transaction that updates its reminder,
 * on locked rows. A POST is made under a lease, so that only one instance makes it. Delivery is at
 * least once: a crash after the POST and before the update repeats the POST.
 */
import { readClock } from '@causeway/postgres'
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent } from '@causeway/events'
import type { HttpClient } from '@causeway/http'
import type { Database } from '@causeway/postgres'
import { allOf, type Logger } from '@causeway/process'
import { firedEntries } from './audit.ts'
import { afterFailure, afterDelivery, type FiringBounds } from './domain/firing.ts'
import {
  isAnyDue,
  leaseDuePosts,
  lockDueEvents,
  settle,
  type AttemptOutcome,
  type StoredReminder,
} from './store.ts'

export interface DeliverParts {
  readonly db: Database
  readonly bus: EventBus
  readonly http: HttpClient
  readonly log: Logger
  readonly timeout_ms: number
  readonly bounds: FiringBounds
  readonly onOutcome: (outcome: AttemptOutcome) => void
}

const events_max = 100
const posts_max = 32
/** An answer is stored within this time, or the reminder is delivered again. */
const storing_ms = 5_000
const error_length_max = 500

/** Delivers everything that is due now; events that cannot be published keep no POST from being made. */
export async function deliverDue(parts: DeliverParts): Promise<void> {
  if (!(await isAnyDue(parts.db))) return
  await allOf([
    untilFewer(events_max, () => publishDueEvents(parts)),
    untilFewer(posts_max, () => postDue(parts)),
  ])
}

async function untilFewer(max: number, deliver: () => Promise<number>): Promise<void> {
  let delivered = max
  while (delivered === max) delivered = await deliver()
}

async function publishDueEvents({ db, bus, onOutcome }: DeliverParts): Promise<number> {
  const outcomes = await db.transaction(async (tx) => {
    const now = await readClock(tx)
    const due = await lockDueEvents(tx, now, events_max)
    if (due.length === 0) return []
    const delivered = due.map((stored): AttemptOutcome => ({
      stored,
      step: afterDelivery(stored.reminder.schedule, now),
      error: null,
    }))
    const settled = await settle(tx, delivered, now)
    bus.announce(tx, [...due.map(dueEvent), ...firedEntries(settled, now)])
    return delivered
  })
  for (const outcome of outcomes) onOutcome(outcome)
  return outcomes.length
}

/** The same due time always gives the same event id. */
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

async function postDue(parts: DeliverParts): Promise<number> {
  const { db } = parts
  const now = await readClock(db)
  const until = new Date(now.getTime() + parts.timeout_ms + storing_ms)
  const due = await leaseDuePosts(db, { now, until, rows_max: posts_max })
  await allOf(
    due.map(async (stored) => {
      const error = await post(parts.http, stored)
      await settlePost(parts, stored, error)
    }),
  )
  return due.length
}

/** Null when the server accepted it. */
async function post(http: HttpClient, { reminder, dueAt }: StoredReminder): Promise<string | null> {
  try {
    const { status } = await http.request({
      method: 'POST',
      url: reminder.url ?? '',
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
  { db, bus, log, bounds, onOutcome }: DeliverParts,
  stored: StoredReminder,
  error: string | null,
): Promise<void> {
  const { reminder } = stored
  const outcome = await db.transaction(async (tx): Promise<AttemptOutcome | undefined> => {
    const now = await readClock(tx)
    const firing = { ...reminder, attempts: stored.attempts + 1 }
    const step =
      error === null
        ? afterDelivery(reminder.schedule, now)
        : afterFailure(firing, now, Math.random(), bounds)
    // None if the reminder was deleted meanwhile, or another instance has settled it.
    const settled = await settle(tx, [{ stored, step, error }], now)
    bus.announce(tx, [...firedEntries(settled, now), ...settled.filter(hasFailed).map(failedEvent)])
    return settled[0]
  })
  if (outcome === undefined) return
  if (hasFailed(outcome)) {
    const { id, owner, recovery } = reminder
    log.error(
      { id, owner, recovery, error },
      'ALARM a reminder could not be delivered for this due time',
    )
  }
  onOutcome(outcome)
}

type FailedOutcome = AttemptOutcome & { readonly error: string }

/** It was not delivered, and there is no further attempt for this due time. */
function hasFailed(outcome: AttemptOutcome): outcome is FailedOutcome {
  return outcome.error !== null && outcome.step.type !== 'AGAIN'
}

/**
 * Operators are notified of each failure, also of a second one for the same due time after they had the
 * reminder delivered again.
 */
function failedEvent({ stored, step, error }: FailedOutcome): OutgoingMessage {
  const { reminder, dueAt } = stored
  return newEvent('scheduler', 'ScheduleReminderFailed', {
    reminderId: reminder.id,
    owner: reminder.owner,
    dueAt: dueAt.toISOString(),
    attempts: stored.attempts + 1,
    error: error.slice(0, error_length_max),
    nextAt: step.type === 'NEXT' ? step.dueAt.toISOString() : null,
  })
}
