import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { windowKey, type Usage } from '../../rules/domain/judge-request.ts'
import type { VelocityRule } from '../../rules/domain/rule.ts'
import { judgeBulk, type BulkCircumstances, type BulkQuoteItem } from './judge-items.ts'

const payerFsp = 'mangobank'
const payeeFsp = 'riverwallet'

function ruleOf(changes: Partial<VelocityRule>): VelocityRule {
  return {
    type: 'VELOCITY',
    id: 'velocity',
    currency: 'USD',
    windowMinutes: 60,
    maxCount: undefined,
    maxAmount: undefined,
    payerFsp: undefined,
    ...changes,
  }
}

function itemOf(at: number, amount: bigint, currency = 'USD'): BulkQuoteItem {
  return { quoteId: `quote-${at}`, payeeFspId: payeeFsp, amount, currency, scenario: 'TRANSFER' }
}

/** The positions of the items that are refused. */
function refusedOf(
  items: readonly BulkQuoteItem[],
  rules: BulkCircumstances['rules'],
  usages: BulkCircumstances['usages'] = new Map(),
): readonly number[] {
  const judgement = judgeBulk(
    { payerFsp, payerNamedFsp: payerFsp, expires_ms: 1, items },
    {
      rules,
      usages,
      now_ms: 0,
      statusOfFsp: () => 'USABLE',
      owners: undefined,
      destinationFspId: payeeFsp,
    },
  )
  return judgement.type === 'refuse' ? [...items.keys()] : [...judgement.refused.keys()]
}

test('Of 1,000 items as many are accepted as a velocity rule allows payments', () => {
  const items = Array.from({ length: 1_000 }, (_item, at) => itemOf(at, 1_000_000n))
  expect(refusedOf(items, [ruleOf({ maxCount: 3n })])).toHaveLength(997)
  expect(refusedOf(items, [ruleOf({ maxAmount: 1_000_000n })])).toHaveLength(999)
})

test('An item that is refused, or of another currency, takes nothing of what a rule allows', () => {
  const items = [itemOf(0, 90n), itemOf(1, 20n), itemOf(2, 500n, 'EUR'), itemOf(3, 10n)]
  expect(refusedOf(items, [ruleOf({ maxAmount: 100n })])).toEqual([1])
})

test('Accepted items and earlier payments together never exceed a velocity rule, and no item is refused that fits', () => {
  const limit = fc.option(fc.bigInt({ min: 0n, max: 60n }), { nil: undefined })
  const rule = fc
    .record({ minutes: fc.constantFrom(1, 60), maxCount: limit, maxAmount: limit })
    .map(({ minutes, maxCount, maxAmount }) =>
      ruleOf({ id: String(minutes), windowMinutes: minutes, maxCount, maxAmount }),
    )
  const usage = fc.record({
    count: fc.bigInt({ min: 0n, max: 20n }),
    amount: fc.bigInt({ min: 0n, max: 40n }),
  })
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 20n }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), usage, usage, amounts, (rules, a, b, given) => {
      const usages = new Map<string, Usage>([
        [windowKey({ payerFsp, currency: 'USD', minutes: 1 }), a],
        [windowKey({ payerFsp, currency: 'USD', minutes: 60 }), b],
      ])
      const refused = new Set(
        refusedOf(
          given.map((amount, at) => itemOf(at, amount)),
          rules,
          usages,
        ),
      )
      const used = new Map(usages)
      const breaks = (one: VelocityRule, amount: bigint) => {
        const before = used.get(
          windowKey({ payerFsp, currency: 'USD', minutes: one.windowMinutes }),
        )
        const { count, amount: paid } = before ?? { count: 0n, amount: 0n }
        const isTooMany = one.maxCount !== undefined && count + 1n > one.maxCount
        return isTooMany || (one.maxAmount !== undefined && paid + amount > one.maxAmount)
      }
      for (const [at, amount] of given.entries()) {
        expect([at, refused.has(at)]).toEqual([at, rules.some((one) => breaks(one, amount))])
        if (refused.has(at)) continue
        for (const [key, { count, amount: paid }] of used) {
          used.set(key, { count: count + 1n, amount: paid + amount })
        }
      }
    }),
  )
})
