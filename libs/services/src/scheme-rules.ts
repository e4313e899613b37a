/**
 * The rules in `rules_json` of SchemeRules: the one definition of the parts of a scheme rule. The
 * reader of rules decides how their elements are written, because the operator may send numbers
 * where quoting stores text.
 */
import { z } from 'zod'

const types = ['CURRENCY', 'AMOUNT', 'VELOCITY', 'FEE', 'VALIDITY'] as const

export const schemeRuleBounds = {
  currencies_max: 500,
  windowMinutes_max: 1_440,
  validity_ms_max: 31 * 86_400_000,
} as const

interface RuleElements<
  Id extends z.ZodType,
  Currency extends z.ZodType,
  Amount extends z.ZodType,
  Percentage extends z.ZodType,
  Whole extends z.ZodType,
> {
  readonly id: Id
  readonly currency: Currency
  readonly amount: Amount
  readonly percentage: Percentage
  /** An integer within these bounds, both inclusive. */
  readonly whole: (min: number, max: number) => Whole
}

const name = z.string().min(1).max(64)

export function schemeRuleOf<
  Id extends z.ZodType,
  Currency extends z.ZodType,
  Amount extends z.ZodType,
  Percentage extends z.ZodType,
  Whole extends z.ZodType,
>({
  id,
  currency,
  amount,
  percentage,
  whole,
}: RuleElements<Id, Currency, Amount, Percentage, Whole>) {
  const { currencies_max, windowMinutes_max, validity_ms_max } = schemeRuleBounds
  return z.discriminatedUnion(
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
        windowMinutes: whole(1, windowMinutes_max),
        maxCount: whole(0, Number.MAX_SAFE_INTEGER).optional(),
        maxAmount: amount.optional(),
        payerFsp: name.optional(),
      }),
      z.strictObject({
        id,
        type: z.literal('FEE'),
        currency,
        payeeFsp: name.optional(),
        maxFee: amount.optional(),
        maxFeePercent: percentage.optional(),
        maxCommission: amount.optional(),
        maxCommissionPercent: percentage.optional(),
      }),
      z.strictObject({
        id,
        type: z.literal('VALIDITY'),
        minMs: whole(0, validity_ms_max).optional(),
        maxMs: whole(0, validity_ms_max).optional(),
      }),
    ],
    { error: `must be one of ${types.join(', ')}` },
  )
}
