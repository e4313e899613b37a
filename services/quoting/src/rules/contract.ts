/** Parses the operator's rules. An error text names the faulty member. */
import { isCurrency, parseAmount } from '@causeway/money'
import { schemeRuleOf } from '@causeway/services'
import { z } from 'zod'
import type { Rule } from './domain/rule.ts'

export const rules_max = 500

const id = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, {
  error: 'must have 1 to 64 letters, digits, hyphens, dots or underscores',
})
const currency = z.string().refine(isCurrency, { error: 'is not a currency' })
const amount = z
  .string()
  .refine((text) => parseAmount(text) !== undefined, { error: 'is not an amount' })

const written = schemeRuleOf({
  id,
  currency,
  amount,
  percentage: amount,
  whole: (min, max) => z.int().min(min).max(max),
})

const writtenRules = z
  .array(
    written
      .refine(bounds, { error: 'bounds nothing' })
      .refine(isOrdered, { error: 'has a minimum above its maximum' }),
  )
  .max(rules_max)
  .refine((rules) => new Set(rules.map((rule) => rule.id)).size === rules.length, {
    error: 'two rules have the same id',
  })

type Written = z.infer<typeof written>

export type RulesReading =
  | { readonly type: 'RULES'; readonly rules: readonly Rule[]; readonly json: string }
  | { readonly type: 'FAULT'; readonly detail: string }

/** A rule without any limit is a mistake. */
function bounds(rule: Written): boolean {
  switch (rule.type) {
    case 'CURRENCY':
      return true
    case 'AMOUNT':
      return (rule.min ?? rule.max) !== undefined
    case 'VELOCITY':
      return (rule.maxCount ?? rule.maxAmount) !== undefined
    case 'FEE': {
      const { maxFee, maxFeePercent, maxCommission, maxCommissionPercent } = rule
      return (maxFee ?? maxFeePercent ?? maxCommission ?? maxCommissionPercent) !== undefined
    }
    case 'VALIDITY':
      return (rule.minMs ?? rule.maxMs) !== undefined
  }
}

function isOrdered(rule: Written): boolean {
  if (rule.type === 'VALIDITY') return (rule.minMs ?? 0) <= (rule.maxMs ?? Infinity)
  if (rule.type !== 'AMOUNT') return true
  const [min = 0n, max = min] = [unitsOf(rule.min), unitsOf(rule.max)]
  return min <= max
}

/** `json` is the input without blanks. */
export function readRules(text: string): RulesReading {
  const json = parsed(text)
  if (json === undefined) return { type: 'FAULT', detail: 'the rules are not JSON' }
  const reading = writtenRules.safeParse(json)
  if (!reading.success) return { type: 'FAULT', detail: faultOf(reading.error) }
  const rules = reading.data.map(ruleOf)
  return { type: 'RULES', rules, json: JSON.stringify(reading.data) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function faultOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'the rules are not valid'
  const path = issue.path.reduce<string>(
    (text, step) => text + (typeof step === 'number' ? `[${step}]` : `.${String(step)}`),
    'rules',
  )
  return `${path}: ${issue.message}`
}

function ruleOf(rule: Written): Rule {
  switch (rule.type) {
    case 'CURRENCY':
      return rule
    case 'AMOUNT': {
      const { id: ruleId, type, currency: of, payerFsp, payeeFsp, scenario } = rule
      const [min, max] = [unitsOf(rule.min), unitsOf(rule.max)]
      return { id: ruleId, type, currency: of, min, max, payerFsp, payeeFsp, scenario }
    }
    case 'VELOCITY': {
      const { id: ruleId, type, currency: of, windowMinutes, payerFsp } = rule
      const maxCount = rule.maxCount === undefined ? undefined : BigInt(rule.maxCount)
      const maxAmount = unitsOf(rule.maxAmount)
      return { id: ruleId, type, currency: of, windowMinutes, maxCount, maxAmount, payerFsp }
    }
    case 'FEE': {
      const { id: ruleId, type, currency: of, payeeFsp } = rule
      return {
        id: ruleId,
        type,
        currency: of,
        payeeFsp,
        maxFee: unitsOf(rule.maxFee),
        maxFeePercent: unitsOf(rule.maxFeePercent),
        maxCommission: unitsOf(rule.maxCommission),
        maxCommissionPercent: unitsOf(rule.maxCommissionPercent),
      }
    }
    case 'VALIDITY': {
      const { id: ruleId, type, minMs: min_ms, maxMs: max_ms } = rule
      return { id: ruleId, type, min_ms, max_ms }
    }
  }
}

function unitsOf(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : parseAmount(text)
}
