import { parseAmount } from '@causeway/money'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { judgeAnswer, type AnswerFacts } from './judge-answer.ts'
import type { FeeRule, Money, Rule } from './rule.ts'

const answer: AnswerFacts = {
  payeeFsp: 'riverwallet',
  currency: 'USD',
  transferAmount: usd('100'),
  fee: usd('2.5'),
  commission: usd('1'),
  validity_ms: 60_000,
}
const fees: FeeRule = {
  type: 'FEE',
  id: 'fees',
  currency: 'USD',
  payeeFsp: undefined,
  maxFee: undefined,
  maxFeePercent: undefined,
  maxCommission: undefined,
  maxCommissionPercent: undefined,
}

function units(text: string): bigint {
  return parseAmount(text) ?? -1n
}

function usd(text: string): Money {
  return { currency: 'USD', amount: units(text) }
}

function breaks(rule: Rule, changes: Partial<AnswerFacts> = {}): boolean {
  return judgeAnswer([rule], { ...answer, ...changes }) !== undefined
}

test('An answer in another currency than its request is forbidden without any rule', () => {
  const transferAmount = { currency: 'EUR', amount: 1n }
  expect(judgeAnswer([], answer)).toBeUndefined()
  expect(judgeAnswer([], { ...answer, transferAmount })).toEqual({
    ruleId: 'transfer-currency',
    type: 'TRANSFER_CURRENCY',
    detail: 'transferAmount is not in USD',
  })
})

describe('a fee', () => {
  test.each([
    ['at its bound', { maxFee: units('2.5') }, false],
    ['over its bound', { maxFee: units('2.4999') }, true],
    ['at its part of the transfer amount', { maxFeePercent: units('2.5') }, false],
    ['over its part of the transfer amount', { maxFeePercent: units('2.4999') }, true],
    ['under one bound and over the other', { maxFee: units('9'), maxFeePercent: 0n }, true],
  ])('%s is judged', (_what, bounds, forbidden) => {
    expect(breaks({ ...fees, ...bounds })).toBe(forbidden)
  })

  test('An absent fee counts as zero', () => {
    expect(breaks({ ...fees, maxFee: 0n, maxFeePercent: 0n }, { fee: undefined })).toBe(false)
  })

  test('A fee in another currency exceeds any limit', () => {
    const fee = { currency: 'EUR', amount: 0n }
    expect(breaks({ ...fees, maxFee: units('9') }, { fee })).toBe(true)
    expect(breaks(fees, { fee })).toBe(false)
  })

  test('Fee limits are exact for amounts beyond the precision of a double', () => {
    const fee = fc.bigInt(0n, 10n ** 22n - 1n)
    fc.assert(
      fc.property(
        fee,
        fc.bigInt(0n, 10n ** 22n - 1n),
        fc.bigInt(0n, 1_000_000n),
        (f, t, percent) => {
          const money = (amount: bigint): Money => ({ currency: 'USD', amount })
          const facts = { fee: money(f), transferAmount: money(t) }
          expect(breaks({ ...fees, maxFeePercent: percent }, facts)).toBe(
            f * 100n * 10_000n > t * percent,
          )
        },
      ),
    )
  })

  test('A fee rule for another payee FSP or currency does not apply', () => {
    expect(breaks({ ...fees, maxFee: 0n, payeeFsp: 'hillcredit' })).toBe(false)
    expect(breaks({ ...fees, maxFee: 0n, currency: 'EUR' })).toBe(false)
    expect(breaks({ ...fees, maxFee: 0n, payeeFsp: 'riverwallet' })).toBe(true)
  })
})

test('A commission has its own limits', () => {
  expect(breaks({ ...fees, maxCommission: units('1'), maxCommissionPercent: units('1') })).toBe(
    false,
  )
  expect(breaks({ ...fees, maxCommission: units('0.9999') })).toBe(true)
  expect(breaks({ ...fees, maxCommissionPercent: units('0.9999') })).toBe(true)
})

test('The validity of an answer has a minimum and a maximum', () => {
  const rule = { type: 'VALIDITY', id: 'validity', min_ms: 10_000, max_ms: 60_000 } as const
  expect(breaks(rule)).toBe(false)
  expect(breaks(rule, { validity_ms: 10_000 })).toBe(false)
  expect(breaks(rule, { validity_ms: 9_999 })).toBe(true)
  expect(breaks(rule, { validity_ms: 60_001 })).toBe(true)
  expect(breaks({ ...rule, min_ms: undefined, max_ms: undefined }, { validity_ms: -1 })).toBe(false)
})

test('Rules for requests do not apply to answers', () => {
  const currencies = { type: 'CURRENCY', id: 'currencies', currencies: ['EUR'] } as const
  expect(breaks(currencies)).toBe(false)
})
