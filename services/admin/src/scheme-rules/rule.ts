/**
 * A scheme rule as the operator writes it. Its form is checked here, like that of every request;
 * quoting checks it against the other rules.
 */
import { formatAmount } from '@causeway/money'
import { schemeRuleOf } from '@causeway/protos'
import { z } from 'zod'
import { currency, decimalFromZero, percentage, wholeNumber } from '../fields.ts'

/** Amounts are shown in the FSPIOP form, whether a number or a string was sent. */
export const schemeRule = schemeRuleOf({
  // The id of the path; a rule may be sent back exactly as it was read.
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
