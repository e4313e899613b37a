/** Reports of finished days. */
import { z } from 'zod'
import { define } from './define.ts'

export const reportEvents = {
  DayReportStored: define({
    topic: 'settlements.reports',
    publishers: ['settlements'],
    consumers: ['participant-lifecycle'],
    key: 'reportId',
    about:
      'A report of a finished day, or another version of it, is stored; its reader gets an e-mail.',
    schema: z.object({
      /** `report-greenbank-2026-11-25-v1` */
      reportId: z.string(),
      /** Absent: the operator's report. */
      participantId: z.string().optional(),
      /** `2026-11-25` */
      day: z.string(),
      /** A currency with an end of day of its own; absent: all others. */
      scope: z.string().optional(),
      version: z.int(),
      /** Of its JSON; hexadecimal. */
      sha256: z.string(),
      /** Where its reader fetches it. */
      link: z.string(),
      /** Attached to the e-mail. */
      files: z.array(z.object({ name: z.string(), type: z.string(), content: z.string() })),
      storedAt: z.string(),
    }),
  }),
}
