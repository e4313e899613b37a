/**
 * A scheme rule as the operator writes it. Its form is read here, so that it is refused as every other
 * request is; whether it makes sense among the others is judged by quoting.
 */
import { formatAmount } from '@causeway/money'
import { schemeRuleOf } from '@causeway/protos'
import { z } from 'zod'
import { currency, decimalFromZero, percentage, wholeNumber } from '../fields.ts'

/** Amounts are shown as FSPIOP writes them, whether a number or a string was sent. */
export const schemeRule = schemeRuleOf({
  // As the path says; a rule that was read may be sent back as it came.
  id: z.string().optional(),
  currency,
  amount: decimalFromZero.transform(formatAmount),
  percentage: percentage.transform(formatAmount),
  whole: wholeNumber,
})

export const shownRule = schemeRuleOf({
  id: z.string(),
  currency: z.string(),
  amount: z.string(),
  percentage: z.string(),
  whole: () => z.int(),
}).meta({ id: 'SchemeRule' })

export type SchemeRule = z.infer<typeof schemeRule>
