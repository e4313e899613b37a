/** What the scheduler says when the time of a reminder has come. */
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
}
