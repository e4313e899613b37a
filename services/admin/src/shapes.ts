/** The elements of answers. */
import { z } from 'zod'

export const shownTime = z.iso.datetime({ precision: 3 })

/** Of a history that is stored by month. */
export const shownArchivedMonths = z.array(z.string().regex(/^\d{4}-\d\d$/)).meta({
  description: 'Months whose part of the history is archived; `npm run restore` puts it back.',
})

/** Printed from bigint: at most 18 digits, of which four decimals. */
export const shownAmount = z
  .number()
  .meta({ format: 'decimal', description: 'Exact, with at most four decimals.' })

export const shownFlag = z.union([z.literal(0), z.literal(1)])

export const shownMoney = z.strictObject({ amount: shownAmount, currency: z.string() })

export const shownError = z
  .strictObject({
    errorInformation: z.strictObject({
      errorCode: z.string().regex(/^[1-9]\d{3}$/),
      errorDescription: z.string().min(1).max(128),
    }),
  })
  .meta({ id: 'Error' })
