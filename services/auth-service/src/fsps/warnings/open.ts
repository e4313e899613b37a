/**
 * Warns FSPs and the hub once a day of keys and certificates that end soon, with a reminder of the
 * scheduler. Each warning is stored, so that a reminder that comes twice warns once.
 */
import type { EventBus } from '@causeway/bus'
import { newEvent, onEvents } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { listIn, type Logger, retrying, type Service, StartError } from '@causeway/process'
import { schedulerService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import type { AuthMeasures } from '../../measures.ts'
import { addWarnings, type Warning } from './store.ts'

const owner = 'auth-service'
const reminderId = 'auth-service/ending-credentials'
const cron = '0 6 * * *'
const day_ms = 86_400_000

export interface WarningParts {
  readonly db: Database
  readonly log: Logger
  readonly measures: Pick<AuthMeasures, 'ending'>
  /** Days before the end. */
  readonly days: readonly number[]
}

/** @param text `30,7,1`; empty: there are no warnings. Throws StartError for anything else. */
export function warningDaysIn(text: string): readonly number[] {
  const days = listIn(text).map(Number)
  if (days.every((each) => Number.isInteger(each) && each > 0 && each <= 1_000)) return days
  throw new StartError(
    'AUTH_SERVICE_ENDING_WARNINGS_D must be days from 1 to 1000, separated by commas.',
  )
}

export async function openWarnings(
  { bus, grpc }: Pick<ProcessParts, 'bus' | 'grpc'>,
  { db, log, measures, days }: WarningParts,
): Promise<Service> {
  const stopping = new AbortController()
  const { signal } = stopping
  const scheduler = grpc.client(schedulerService, 'scheduler')
  const registering = retrying(() => register(scheduler), {
    log,
    what: 'registering the daily look for keys and certificates that end soon',
    signal,
    everyFailure: true,
  }).catch(() => undefined) // stopped before it was registered
  const subscribed = await onEvents(
    bus,
    'auth_service.reminders',
    ['ScheduleReminderDue'],
    async (events) => {
      const isDue = events.some(
        ({ payload }) => payload.owner === owner && payload.reminderId === reminderId,
      )
      if (!isDue) return
      for (const { kind } of await warn(db, bus, days, new Date())) measures.ending(kind)
    },
  )
  return {
    async stop() {
      stopping.abort()
      await subscribed.stop()
      await registering
    },
  }
}

type Scheduler = Pick<
  Calls<typeof schedulerService>,
  'CreateScheduleReminder' | 'DeleteScheduleReminder'
>

/** Another release may have registered another time. */
async function register(scheduler: Scheduler): Promise<void> {
  const reminder = {
    reminderId,
    owner,
    cron,
    payload: '',
    taskType: 'EVENT',
    recovery: 'RETRY',
  } as const
  const { refusal } = await scheduler.CreateScheduleReminder(reminder)
  if (!refusal) return
  await scheduler.DeleteScheduleReminder({ reminderId, owner })
  const again = await scheduler.CreateScheduleReminder(reminder)
  if (again.refusal) throw new Error(`the reminder was refused: ${again.refusal.detail}`)
}

async function warn(
  db: Database,
  bus: EventBus,
  days: readonly number[],
  now: Date,
): Promise<readonly Warning[]> {
  return db.transaction(async (tx) => {
    const warnings = await addWarnings(tx, days, now)
    bus.announce(
      tx,
      warnings.map((warning) => endingEvent(warning, now)),
    )
    return warnings
  })
}

function endingEvent({ participant, kind, credentialId, endsAt }: Warning, now: Date) {
  return newEvent('auth-service', 'CredentialEnding', {
    participantId: participant,
    kind,
    credentialId,
    endsAt: endsAt.toISOString(),
    daysLeft: Math.ceil((endsAt.getTime() - now.getTime()) / day_ms),
    warnedAt: now.toISOString(),
  })
}
