/** Amounts that are almost valid: read exactly and printed as they were written, or not read. */
import { changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { amountFromJson, formatAmount, parseAmount, parseDecimal } from './amount.ts'

const texts = ['0', '1', '10.5', '0.0001', '999999999999999999.9999', '-5', '-0.5', '1.50', '1e2']

/** The rational number that a decimal means, in ten-thousandths. */
function meant(text: string): bigint {
  const [, sign = '', whole = '', places = ''] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? []
  const units = BigInt(whole) * 10_000n + BigInt(places.padEnd(4, '0'))
  return sign === '-' ? -units : units
}

test('A text is read as the amount that it means and printed as it was, or not read', () => {
  fc.assert(
    fc.property(changedText(texts), (text) => {
      for (const read of [parseAmount, parseDecimal]) {
        const units = read(text)
        if (units === undefined) continue
        expect(units).toBe(meant(text))
        expect(formatAmount(units)).toBe(text)
      }
      const given = amountFromJson(text)
      if (given !== undefined) expect(given).toBe(meant(text))
    }),
    { numRuns: 1_000 },
  )
})

test('A JSON number is read exactly, or not read', () => {
  const number = changedText(texts).map(Number)
  fc.assert(
    fc.property(fc.oneof(number, fc.double()), (value) => {
      const units = amountFromJson(value)
      if (units !== undefined) expect(units).toBe(meant(String(value)))
    }),
    { numRuns: 1_000 },
  )
})
