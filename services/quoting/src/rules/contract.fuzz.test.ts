/** Rules of the scheme that are almost valid: read within their bounds, or refused with a fault that names the member. */
import { schemeRuleBounds } from '@causeway/services'
import { changedJson, changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readRules, rules_max } from './contract.ts'

const written = [
  { id: 'currencies', type: 'CURRENCY', currencies: ['USD', 'EUR'] },
  { id: 'small', type: 'AMOUNT', currency: 'USD', min: '0.5', max: '999999999999999999.9999' },
  { id: 'hour', type: 'VELOCITY', currency: 'USD', windowMinutes: 60, maxCount: 9, maxAmount: '5' },
  { id: 'fee', type: 'FEE', currency: 'USD', maxFee: '1', maxFeePercent: '2.5' },
  { id: 'validity', type: 'VALIDITY', minMs: 1_000, maxMs: 60_000 },
]

test('Changed rules are read within their bounds and as they are stored, or refused with a reason', () => {
  const text = JSON.stringify(written)
  const texts = fc.oneof(
    changedText([text]),
    changedJson(written).map((json) => JSON.stringify(json)),
  )
  fc.assert(
    fc.property(texts, (changed) => {
      const reading = readRules(changed)
      if (reading.type === 'FAULT') {
        expect(reading.detail).toMatch(/^(the )?rules/)
        expect(reading.detail.length).toBeLessThan(25_000)
        return
      }
      const { rules, json } = reading
      expect(rules.length).toBeLessThanOrEqual(rules_max)
      expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
      for (const rule of rules) {
        expect(rule.id).toMatch(/^[\w.-]{1,64}$/)
        if (rule.type !== 'VELOCITY') continue
        expect(rule.windowMinutes).toBeLessThanOrEqual(schemeRuleBounds.windowMinutes_max)
        expect(rule.windowMinutes).toBeGreaterThanOrEqual(1)
      }
      expect(readRules(json)).toEqual(reading)
    }),
    { numRuns: 1_000 },
  )
})
