/**
 * A scheme rule as the operator writes it. Its form is read here, so that it is refused as every other
 * request is; whether it makes sense among the others is judged by quoting.
 */
import { formatAmount } from '@causeway/money'
import { z } from 'zod'
import { currency, decimalFromZero, percentage, wholeNumber } from '../fields.ts'

const currencies_max = 500
const minutes_max = 1_440
const milliseconds_max = 31 * 86_400_000

/** Shown as FSPIOP writes amounts, whether a number or a string was sent. */
const amount = decimalFromZero.transform(formatAmount)
const percent = percentage.transform(formatAmount)

const name = z.string().min(1).max(64)

/** As the path says; a rule that was read may be sent back as it came. */
const id = z.string().optional()

const types = ['CURRENCY', 'AMOUNT', 'VELOCITY', 'FEE', 'VALIDITY'] as const

export const schemeRule = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      id,
      type: z.literal('CURRENCY'),
      currencies: z.array(currency).min(1).max(currencies_max),
    }),
    z.strictObject({
      id,
      type: z.literal('AMOUNT'),
      currency,
      min: amount.optional(),
      max: amount.optional(),
      payerFsp: name.optional(),
      payeeFsp: name.optional(),
      scenario: name.optional(),
    }),
    z.strictObject({
      id,
      type: z.literal('VELOCITY'),
      currency,
      windowMinutes: wholeNumber(1, minutes_max),
      maxCount: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
      maxAmount: amount.optional(),
      payerFsp: name.optional(),
    }),
    z.strictObject({
      id,
      type: z.literal('FEE'),
      currency,
      payeeFsp: name.optional(),
      maxFee: amount.optional(),
      maxFeePercent: percent.optional(),
      maxCommission: amount.optional(),
      maxCommissionPercent: percent.optional(),
    }),
    z.strictObject({
      id,
      type: z.literal('VALIDITY'),
      minMs: wholeNumber(0, milliseconds_max).optional(),
      maxMs: wholeNumber(0, milliseconds_max).optional(),
    }),
  ],
  { error: `must be one of ${types.join(', ')}` },
)

export type SchemeRule = z.infer<typeof schemeRule>

export const shownRule = z.looseObject({ id: z.string(), type: z.enum(types) })
