import { schemeRuleBounds } from '@causeway/services'
import { expect, test } from '@jest/globals'
import { windowMinutes_max } from './domain/rule.ts'
import { readRules, rules_max } from './contract.ts'

const written = [
  { id: 'currencies', type: 'CURRENCY', currencies: ['USD', 'EUR'] },
  { id: 'small', type: 'AMOUNT', currency: 'USD', min: '0.5', max: '999999999999999999.9999' },
  {
    id: 'cash',
    type: 'AMOUNT',
    currency: 'USD',
    max: '100',
    scenario: 'WITHDRAWAL',
    payerFsp: 'a',
  },
  {
    id: 'hour',
    type: 'VELOCITY',
    currency: 'USD',
    windowMinutes: 60,
    maxCount: 10,
    maxAmount: '5',
  },
  { id: 'fee', type: 'FEE', currency: 'USD', maxFee: '1', maxFeePercent: '2.5' },
  { id: 'validity', type: 'VALIDITY', minMs: 1_000, maxMs: 60_000 },
]

function faultOf(rules: unknown): string {
  const reading = readRules(typeof rules === 'string' ? rules : JSON.stringify(rules))
  return reading.type === 'FAULT' ? reading.detail : 'none'
}

test('Rules are returned as written', () => {
  const reading = readRules(JSON.stringify(written, null, 2))
  expect(reading.type === 'RULES' && JSON.parse(reading.json)).toEqual(written)
})

test('Amounts and percentages are exact', () => {
  const reading = readRules(JSON.stringify(written))
  expect(reading.type === 'RULES' && reading.rules).toEqual([
    { id: 'currencies', type: 'CURRENCY', currencies: ['USD', 'EUR'] },
    expect.objectContaining({ min: 5_000n, max: 9_999_999_999_999_999_999_999n }),
    expect.objectContaining({ max: 1_000_000n, scenario: 'WITHDRAWAL', payerFsp: 'a' }),
    expect.objectContaining({ windowMinutes: 60, maxCount: 10n, maxAmount: 50_000n }),
    expect.objectContaining({ maxFee: 10_000n, maxFeePercent: 25_000n, maxCommission: undefined }),
    { id: 'validity', type: 'VALIDITY', min_ms: 1_000, max_ms: 60_000 },
  ])
})

test('An empty set of rules is valid', () => {
  expect(readRules('[]')).toEqual({ type: 'RULES', rules: [], json: '[]' })
})

test.each([
  ['{', 'the rules are not JSON'],
  [{}, 'rules: Invalid input: expected array, received object'],
  [[written[0], written[0]], 'rules: two rules have the same id'],
  [[{ ...written[1], max: '1.50' }], 'rules[0].max: is not an amount'],
  [[{ ...written[1], max: 1.5 }], 'rules[0].max: Invalid input: expected string, received number'],
  [[{ ...written[1], currency: 'ABC' }], 'rules[0].currency: is not a currency'],
  [[written[0], { ...written[1], maximum: '1' }], 'rules[1]: Unrecognized key: "maximum"'],
  [
    [{ ...written[3], windowMinutes: 1_441 }],
    'rules[0].windowMinutes: Too big: expected number to be <=1440',
  ],
  [
    [{ ...written[0], currencies: [] }],
    'rules[0].currencies: Too small: expected array to have >=1 items',
  ],
  [
    [{ ...written[0], id: 'no blanks' }],
    'rules[0].id: must have 1 to 64 letters, digits, hyphens, dots or underscores',
  ],
  [[{ id: 'open', type: 'AMOUNT', currency: 'USD' }], 'rules[0]: bounds nothing'],
  [
    [{ id: 'open', type: 'VELOCITY', currency: 'USD', windowMinutes: 1 }],
    'rules[0]: bounds nothing',
  ],
  [[{ id: 'open', type: 'FEE', currency: 'USD' }], 'rules[0]: bounds nothing'],
  [[{ id: 'open', type: 'VALIDITY' }], 'rules[0]: bounds nothing'],
  [[{ ...written[1], max: '0.4999' }], 'rules[0]: has a minimum above its maximum'],
  [[{ ...written[5], maxMs: 999 }], 'rules[0]: has a minimum above its maximum'],
])('An invalid set is refused with the name of the faulty member: %j', (rules, fault) => {
  expect(faultOf(rules)).toBe(fault)
})

test('The number of rules is limited', () => {
  const rules = Array.from({ length: rules_max + 1 }, (_, at) => ({ ...written[0], id: `r${at}` }))
  expect(faultOf(rules)).toBe(`rules: Too big: expected array to have <=${rules_max} items`)
  expect(faultOf(rules.slice(1))).toBe('none')
})

test('Payments are counted for as long as the longest window of a rule', () => {
  expect(schemeRuleBounds.windowMinutes_max).toBe(windowMinutes_max)
})
