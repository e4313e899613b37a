/**
 * The schedule of the reports: a reminder for each end of day. A due reminder requests the reports of
 * all days that have ended since the last one, so a missed day is made up, once.
 */
import { readClock } from '@causeway/postgres'
import type { DomainEvent } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { retrying, type Logger } from '@causeway/process'
import type { schedulerService } from '@causeway/protos'
import {
  cronOf,
  endOf,
  isScope,
  lastEnded,
  missedDays,
  schemeScope,
  scopesOf,
  type Calendar,
} from './domain/calendar.ts'
import { lastReportedDay, requestReports } from './request-store.ts'

const owner = 'settlements'
const prefix = 'settlements/day-report'
export interface DayScheduleParts {
  readonly db: Database
  readonly scheduler: Pick<
    Calls<typeof schedulerService>,
    'CreateScheduleReminder' | 'DeleteScheduleReminder' | 'ListScheduleReminders'
  >
  readonly calendar: Calendar
  readonly delay_ms: number
  readonly log: Logger
  readonly signal: AbortSignal
}

/** The reminder of a scope: its id has the scope's name. */
function reminderOf(scope: string): string {
  return `${prefix}/${scope === schemeScope ? 'scheme' : scope}`
}

/** At every start: the settings may have changed. */
export async function registerDayReports(parts: DayScheduleParts): Promise<void> {
  const { scheduler, calendar, log, signal } = parts
  await retrying(
    async () => {
      const { reminders } = await scheduler.ListScheduleReminders({ owner })
      const wanted = new Map(
        scopesOf(calendar).map((scope) => [reminderOf(scope), cronOf(calendar, scope)]),
      )
      for (const { reminder } of reminders) {
        if (reminder?.reminderId.startsWith(`${prefix}/`) !== true) continue
        const { reminderId, cron } = reminder
        if (wanted.get(reminderId) !== cron) {
          await scheduler.DeleteScheduleReminder({ reminderId, owner })
        }
      }
      for (const scope of scopesOf(calendar)) await createReminder(parts, scope)
    },
    { log, what: 'registering the schedule of the reports', signal, everyFailure: true },
  )
}

async function createReminder(
  { scheduler, calendar }: DayScheduleParts,
  scope: string,
): Promise<void> {
  const { refusal } = await scheduler.CreateScheduleReminder({
    reminderId: reminderOf(scope),
    owner,
    cron: cronOf(calendar, scope),
    payload: scope,
    taskType: 'EVENT',
    recovery: 'RETRY',
  })
  if (refusal) throw new Error(`the schedule of the reports was refused: ${refusal.detail}`)
}

type RequestParts = Pick<DayScheduleParts, 'db' | 'calendar' | 'delay_ms'>

/** Requests what is missing; a reminder that came twice finds nothing. */
export async function requestDue(
  parts: RequestParts,
  { payload }: Pick<DomainEvent<'ScheduleReminderDue'>, 'payload'>,
): Promise<void> {
  const { reminderId, owner: whose, dueAt, payload: scope } = payload
  if (whose !== owner || reminderId !== reminderOf(scope)) return
  if (isScope(parts.calendar, scope)) await requestMissed(parts, scope, new Date(dueAt))
}

/** The clock of the scheduler's database may be ahead: by it the day has ended. */
async function requestMissed(
  { db, calendar, delay_ms }: RequestParts,
  scope: string,
  dueAt: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const now = await readClock(tx)
    const ended = lastEnded(calendar, scope, now > dueAt ? now : dueAt)
    const days = missedDays(await lastReportedDay(tx, scope), ended)
    const requests = days.map((day) => ({
      day,
      scope,
      until: endOf(calendar, scope, day),
      reason: 'SCHEDULE' as const,
      actor: 'scheduler',
    }))
    if (requests.length > 0) await requestReports(tx, requests, delay_ms)
  })
}
