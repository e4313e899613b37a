/**
 * The scheduler's events: the time of a reminder has come, or the reminder could not be delivered.
 */
import { z } from 'zod'
import { define } from './define.ts'

export const scheduleEvents = {
  ScheduleReminderDue: define({
    topic: 'scheduler',
    publishers: ['scheduler'],
    consumers: ['audit', 'auth-service', 'settlements'],
    key: 'reminderId',
    about: 'The time of a reminder has come; its owner acts. The same time may be published again.',
    schema: z.object({
      reminderId: z.string(),
      /** The service that owns it. */
      owner: z.string(),
      /** The time that it was for; it may be published later. */
      dueAt: z.string(),
      payload: z.string(),
    }),
  }),
  ScheduleReminderFailed: define({
    topic: 'scheduler',
    publishers: ['scheduler'],
    consumers: ['participant-lifecycle'],
    key: 'reminderId',
    about:
      'A reminder could not be delivered and was abandoned for its time; operators are notified.',
    schema: z.object({
      reminderId: z.string(),
      owner: z.string(),
      /** The time that it was for. */
      dueAt: z.string(),
      attempts: z.int(),
      /** What was wrong with the last attempt. */
      error: z.string(),
      /** When it comes again; null: never. */
      nextAt: z.string().nullable(),
    }),
  }),
}
