/** Reminders of the scheduler: pending ones, and those that could not be delivered. */
import type { ScheduledReminder } from '@causeway/protos'
import { z } from 'zod'
import { answered } from '../answer.ts'
import { word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'

const states = ['WAITING', 'FAILED'] as const

const search = z.object({ owner: word.optional(), state: z.enum(states).optional() })

const shownReminder = z
  .strictObject({
    reminderId: z.string(),
    /** The service that owns it. */
    owner: z.string(),
    state: z.enum(states),
    /** When it is due next, or was due when it failed. */
    dueAt: shownTime,
    cron: z.string().optional(),
    taskType: z.enum(['EVENT', 'HTTP_POST']),
    url: z.string().optional(),
    recovery: z.enum(['RETRY', 'RESCHEDULE', 'ABORT', 'ABANDON']),
    /** That have failed for this time. */
    attempts: z.int(),
    lastError: z.string().optional(),
    createdAt: shownTime,
  })
  .meta({ id: 'Reminder' })

export function reminderOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/reminders',
      {
        about: 'Reminders of the scheduler, at most 1,000; FAILED ones could not be delivered',
        query: search,
        answers: { 200: z.array(shownReminder) },
      },
      async ({ query: { owner = '', state = '' } }) => {
        const { reminders } = await deps.scheduler.ListScheduleReminders({ owner, state })
        return answered(200, reminders.map(reminderBody))
      },
    ),
  ]
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
    ...(cron === '' ? {} : { cron }),
    taskType,
    ...(url === '' ? {} : { url }),
    recovery,
    attempts,
    ...(lastError === '' ? {} : { lastError }),
    createdAt,
  } satisfies Json
}
