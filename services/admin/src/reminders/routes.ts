/**
 * Reminders of the scheduler: pending ones, and those that could not be delivered, which an operator
 * deletes or retries. Operators also create reminders of their own, which are posted to a server.
 */
import {
  present,
  scheduledReminderStateValues,
  scheduleReminderRecoveryValues,
  scheduleReminderTaskTypeValues,
  type ReminderAnswer,
  type ScheduledReminder,
  type ScheduleReminderRecovery,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { text, time, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const states = z.enum(scheduledReminderStateValues)
const recoveries = z.enum(scheduleReminderRecoveryValues)

const search = z.object({ owner: word.optional(), state: states.optional() })

const shownReminder = z
  .strictObject({
    reminderId: z.string(),
    /** The service that owns it; admin: operators have created it. */
    owner: z.string(),
    state: states,
    /** When it is due next, or was due when it failed. */
    dueAt: shownTime,
    cron: z.string().optional(),
    taskType: z.enum(scheduleReminderTaskTypeValues),
    /** Scheme, host and port alone. */
    url: z.string().optional(),
    recovery: recoveries,
    /** That have failed for this time. */
    attempts: z.int(),
    lastError: z.string().optional(),
    createdAt: shownTime,
  })
  .meta({ id: 'Reminder' })

const newReminder = {
  reminderId: text.min(1).max(128),
  /** Posted as it is. */
  payload: z.string().max(16_384).default(''),
  url: text.max(2_048),
  recovery: recoveries.default('RETRY'),
}

const recurring = z.strictObject({
  ...newReminder,
  /** In UTC: minute, hour, day, month, weekday, optionally seconds first. */
  cron: text.max(200),
})

const single = z.strictObject({ ...newReminder, dueAt: time })

const shownDue = z.strictObject({ reminderId: z.string(), dueAt: shownTime })

const refusesNew = ['INVALID', 'MODIFIED', 'TIME_PAST'] as const
const refusesChange = ['REMINDER_UNKNOWN', 'REMINDER_WAITING'] as const

export function reminderOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/reminders',
      {
        about: 'Reminders of the scheduler, at most 1,000; FAILED ones could not be delivered',
        query: search,
        answers: { 200: z.array(shownReminder) },
      },
      async ({ query }) => {
        const { reminders } = await deps.scheduler.ListScheduleReminders(present(query))
        return answered(200, reminders.map(reminderBody))
      },
    ),
    writes(
      'POST',
      '/reminders',
      recurring,
      {
        about:
          'Creates a recurring reminder, which is posted to a server; the same again is no change',
        answers: { 200: shownDue },
        refuses: refusesNew,
      },
      ({ body, actor }) => create(deps, { ...body, actor }),
    ),
    writes(
      'POST',
      '/reminders/single',
      single,
      {
        about: 'Creates a reminder for one moment, which is posted to a server',
        answers: { 200: shownDue },
        refuses: refusesNew,
      },
      ({ body, actor }) => create(deps, { ...body, actor }),
    ),
    commands(
      'DELETE',
      '/reminders/:reminderId',
      {
        about: 'Deletes a FAILED reminder, or one that operators have created',
        answers: { 204: null },
        refuses: refusesChange,
      },
      async ({ reminderId, actor }) => {
        const { refusal } = await deps.scheduler.RemoveReminder({ reminderId, actor })
        return refusal ? refusedUpstream(refusal) : answered(204)
      },
    ),
    commands(
      'POST',
      '/reminders/:reminderId/retry',
      {
        about: 'Delivers a FAILED reminder again, for the time that it failed for',
        answers: { 200: shownDue },
        refuses: refusesChange,
      },
      async ({ reminderId, actor }) =>
        dueAnswer(reminderId, await deps.scheduler.RetryReminder({ reminderId, actor })),
    ),
  ]
}

interface NewReminder {
  readonly reminderId: string
  readonly dueAt?: string
  readonly cron?: string
  readonly payload: string
  readonly url: string
  readonly recovery: ScheduleReminderRecovery
  readonly actor: string
}

/** An event of the scheduler has no consumer for operators, so theirs are posted. */
async function create({ scheduler }: Deps, reminder: NewReminder): Promise<OperationResult> {
  const created = await scheduler.CreateScheduleReminder({
    ...reminder,
    owner: 'admin',
    taskType: 'HTTP_POST',
  })
  return dueAnswer(reminder.reminderId, created)
}

function dueAnswer(reminderId: string, { dueAt, refusal }: ReminderAnswer): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (dueAt === undefined) throw new Error('a reminder was answered without its time')
  return answered(200, { reminderId, dueAt })
}

/** The rest of the address may hold a secret of the server. */
function serverOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

function reminderBody({ reminder, lastError, ...fired }: ScheduledReminder) {
  if (!reminder) throw new Error('a reminder was listed without its content')
  const { reminderId, owner, cron, taskType, url, recovery } = reminder
  const { state, dueAt, attempts, createdAt } = fired
  return {
    reminderId,
    owner,
    state,
    dueAt,
    taskType,
    recovery,
    attempts,
    createdAt,
    ...present({ cron, lastError, url: url === undefined ? undefined : serverOf(url) }),
  } satisfies Json
}
