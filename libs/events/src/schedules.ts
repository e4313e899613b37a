/** What the scheduler says when the time of a reminder has come, and when nobody could be told of it. */
import { z } from 'zod'
import { define } from './define.ts'

export const scheduleEvents = {
  ScheduleReminderDue: define({
    topic: 'scheduler',
    publishers: ['scheduler'],
    consumers: ['settlements'],
    key: 'reminderId',
    about:
      'The time of a reminder has come; whoever owns it acts. The same time may be told again.',
    schema: z.object({
      reminderId: z.string(),
      /** The service whose it is. */
      owner: z.string(),
      /** The time that it was for; it may be told later. */
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
      'A reminder could not be delivered and was given up for its time; people are told of it.',
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
