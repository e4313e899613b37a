import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  judgeRequest,
  windowKey,
  windowsOf,
  type RequestFacts,
  type Usage,
} from './judge-request.ts'
import type { AmountRule, CurrencyRule, FeeRule, VelocityRule } from './rule.ts'

const request: RequestFacts = {
  payerFsp: 'mangobank',
  payeeFsp: 'riverwallet',
  amount: 1_000_000n,
  currency: 'USD',
  scenario: 'TRANSFER',
}
const none = new Map<string, Usage>()
const currency: CurrencyRule = { type: 'CURRENCY', id: 'currencies', currencies: ['USD', 'EUR'] }
const amount: AmountRule = {
  type: 'AMOUNT',
  id: 'amounts',
  currency: 'USD',
  min: undefined,
  max: undefined,
  payerFsp: undefined,
  payeeFsp: undefined,
  scenario: undefined,
}
const velocity: VelocityRule = {
  type: 'VELOCITY',
  id: 'velocity',
  currency: 'USD',
  windowMinutes: 60,
  maxCount: undefined,
  maxAmount: undefined,
  payerFsp: undefined,
}

function used(count: bigint, paid: bigint): ReadonlyMap<string, Usage> {
  const key = windowKey({ payerFsp: 'mangobank', currency: 'USD', minutes: 60 })
  return new Map([[key, { count, amount: paid }]])
}

test('Without rules every request is allowed', () => {
  expect(judgeRequest([], request, none)).toBeUndefined()
})

test('A currency that is not listed is forbidden', () => {
  expect(judgeRequest([currency], request, none)).toBeUndefined()
  expect(judgeRequest([currency], { ...request, currency: 'XTS' }, none)).toEqual({
    ruleId: 'currencies',
    type: 'CURRENCY',
    detail: 'XTS is not allowed',
  })
})

describe('an amount', () => {
  test('The limits of an amount are inclusive', () => {
    const bounds = fc.tuple(fc.bigInt(0n, 10n ** 22n), fc.bigInt(0n, 10n ** 22n))
    fc.assert(
      fc.property(bounds, fc.bigInt(0n, 10n ** 22n), ([a, b], units) => {
        const [min, max] = a < b ? [a, b] : [b, a]
        const found = judgeRequest([{ ...amount, min, max }], { ...request, amount: units }, none)
        expect(found === undefined).toBe(units >= min && units <= max)
      }),
    )
  })

  test.each([
    ['another currency', { currency: 'EUR' }],
    ['another payer FSP', { payerFsp: 'hillcredit' }],
    ['another payee FSP', { payeeFsp: 'hillcredit' }],
    ['another scenario', { scenario: 'DEPOSIT' }],
  ])('An amount is not subject to a rule for %s', (_what, of) => {
    expect(judgeRequest([{ ...amount, max: 1n, ...of }], request, none)).toBeUndefined()
  })

  test('A rule for exactly this payer FSP, payee FSP and scenario applies', () => {
    const { payerFsp, payeeFsp, scenario } = request
    const rule = { ...amount, max: 1n, payerFsp, payeeFsp, scenario }
    expect(judgeRequest([rule], request, none)?.ruleId).toBe('amounts')
  })
})

describe('velocity', () => {
  test('A velocity rule counts the quoted payment', () => {
    const rule = { ...velocity, maxCount: 5n }
    expect(judgeRequest([rule], request, used(4n, 0n))).toBeUndefined()
    expect(judgeRequest([rule], request, used(5n, 0n))?.ruleId).toBe('velocity')
  })

  test('A velocity rule adds the quoted amount', () => {
    const rule = { ...velocity, maxAmount: 3_000_000n }
    expect(judgeRequest([rule], request, used(9n, 2_000_000n))).toBeUndefined()
    expect(judgeRequest([rule], request, used(1n, 2_000_001n))?.ruleId).toBe('velocity')
  })

  test('A velocity limit of 0 forbids the first payment', () => {
    expect(judgeRequest([{ ...velocity, maxCount: 0n }], request, none)?.type).toBe('VELOCITY')
  })

  test('A velocity rule for one payer FSP does not apply to others', () => {
    const rule = { ...velocity, maxCount: 0n, payerFsp: 'hillcredit' }
    expect(judgeRequest([rule], request, none)).toBeUndefined()
  })
})

test('The first broken rule is reported', () => {
  const rules = [
    { ...amount, max: 1n },
    { ...currency, currencies: ['EUR'] },
  ]
  expect(judgeRequest(rules, request, none)?.ruleId).toBe('amounts')
  expect(judgeRequest(rules.toReversed(), request, none)?.ruleId).toBe('currencies')
})

test('Rules for answers do not apply to requests', () => {
  const fee: FeeRule = {
    type: 'FEE',
    id: 'fees',
    currency: 'USD',
    payeeFsp: undefined,
    maxFee: 0n,
    maxFeePercent: 0n,
    maxCommission: 0n,
    maxCommissionPercent: 0n,
  }
  const validity = { type: 'VALIDITY', id: 'validity', min_ms: 1, max_ms: 1 } as const
  expect(judgeRequest([fee, validity], request, none)).toBeUndefined()
})

test('Each window is requested once, and only if a rule applies to its payer', () => {
  const rules = [velocity, { ...velocity, id: 'other', maxCount: 1n }, amount]
  const payers = [
    { payerFsp: 'mangobank', currency: 'USD' },
    { payerFsp: 'mangobank', currency: 'USD' },
    { payerFsp: 'hillcredit', currency: 'USD' },
    { payerFsp: 'mangobank', currency: 'EUR' },
  ]
  expect(windowsOf(rules, payers)).toEqual([
    { payerFsp: 'mangobank', currency: 'USD', minutes: 60 },
    { payerFsp: 'hillcredit', currency: 'USD', minutes: 60 },
  ])
})
