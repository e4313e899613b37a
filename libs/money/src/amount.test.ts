import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  amountFromJson,
  formatAmount,
  jsonNumber,
  minorUnits,
  parseAmount,
  parseDecimal,
  UNITS_PER_ONE,
} from './amount.ts'

const units_max = 10n ** 18n * UNITS_PER_ONE - 1n
const eighteenNines = '9'.repeat(18)

describe('an amount of FSPIOP', () => {
  test.each([
    ['0', 0n],
    ['0.5', 5_000n],
    ['5', 50_000n],
    ['5.5', 55_000n],
    ['5.5555', 55_555n],
    ['0.0001', 1n],
    ['5.05', 50_500n],
    ['5.0005', 50_005n],
    ['10', 100_000n],
    [eighteenNines, 999_999_999_999_999_999n * UNITS_PER_ONE],
    [`${eighteenNines}.9999`, units_max],
    ['123456789012345678', 123_456_789_012_345_678n * UNITS_PER_ONE],
  ])('%s is read exactly', (text, units) => {
    expect(parseAmount(text)).toBe(units)
    expect(formatAmount(units)).toBe(text)
  })

  test.each([
    '',
    ' ',
    '5.0',
    '5.',
    '.5',
    '00.5',
    '05',
    '-5.5',
    '-0',
    '+5',
    '5.55555',
    '5.10',
    '0.0',
    '0.0000',
    '5.00000',
    '1234567890123456789',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '1,000',
    '1_000',
    '5 ',
    ' 5',
    '5\n',
    '\n5',
    '5\n5',
    '٥',
    '5.5.5',
    '5n',
    'null',
  ])('%j is refused', (text) => {
    expect(parseAmount(text)).toBeUndefined()
  })

  test('An amount of every valid form is formatted exactly as it was parsed', () => {
    const legal = fc.stringMatching(/^(0|[1-9]\d{0,17})(\.\d{0,3}[1-9])?$/)
    fc.assert(
      fc.property(legal, (text) => {
        const units = parseAmount(text)
        expect(units === undefined ? undefined : formatAmount(units)).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  test('An amount of every size is parsed exactly as it was formatted', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: units_max }), (units) => {
        expect(parseAmount(formatAmount(units))).toBe(units)
      }),
      { numRuns: 2_000 },
    )
  })

  test('An amount that is not in canonical form is refused', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-+0-9. eE]{0,25}$/), (text) => {
        const units = parseAmount(text)
        expect(units === undefined || formatAmount(units) === text).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test('A million of the largest amounts add up exactly', () => {
    let sum = 0n
    for (let count = 0; count < 1_000_000; count += 1) {
      sum += parseAmount(`${eighteenNines}.9999`) ?? 0n
    }
    expect(formatAmount(sum)).toBe('999999999999999999999900')
    expect(parseDecimal(formatAmount(sum))).toBe(sum)
  })
})

describe('a balance', () => {
  test.each([
    ['-0.0001', -1n],
    ['-10', -100_000n],
    ['-1.05', -10_500n],
    ['0', 0n],
    [`-${'9'.repeat(36)}.9999`, 1n - 10n ** 40n],
  ])('%s is read with its sign', (text, units) => {
    expect(parseDecimal(text)).toBe(units)
    expect(formatAmount(units)).toBe(text)
  })

  test.each(['', '-', '-0', '--1', '+1', '1.0', '-01', '1.00001', '1'.repeat(37), '1\n'])(
    '%j is refused',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined()
    },
  )

  test('A balance of every size and sign is parsed exactly as it was formatted, also as a JSON number', () => {
    const balances = fc.bigInt({ min: 1n - 10n ** 40n, max: 10n ** 40n - 1n })
    fc.assert(
      fc.property(balances, (units) => {
        const text = jsonNumber(units)
        expect(parseDecimal(text)).toBe(units)
        expect(typeof JSON.parse(text)).toBe('number')
      }),
    )
  })
})

describe('an amount in an administration request', () => {
  test.each([
    [0, 0n],
    [-0, 0n],
    [1, 10_000n],
    [0.1, 1_000n],
    [0.0001, 1n],
    [-1.5, -15_000n],
    [1000.5, 10_005_000n],
    [99_999_999_999.9999, 999_999_999_999_999n],
    [999_999_999_999_999, 9_999_999_999_999_990_000n],
    ['10.50', 105_000n],
    ['10.5000', 105_000n],
    ['-3', -30_000n],
    ['0', 0n],
    [`${eighteenNines}.9999`, units_max],
  ])('%j is read exactly', (value, units) => {
    expect(amountFromJson(value)).toBe(units)
  })

  test.each([
    [0.00001],
    [0.1 + 0.2],
    [1e21],
    [1e-7],
    [1_234_567_890_123_456],
    [123_456_789_012.3456],
    [Number.MAX_SAFE_INTEGER],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ['1.00000'],
    ['1e3'],
    ['01'],
    ['1.'],
    ['.1'],
    [''],
    [' 1'],
    ['1234567890123456789'],
    [true],
    [null],
    [undefined],
    [10n],
    [{}],
    [['1']],
  ])('%p is refused', (value) => {
    expect(amountFromJson(value)).toBeUndefined()
  })

  test('A JSON number is never read as another amount', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e15, max: 1e15 }), (value) => {
        const units = amountFromJson(value)
        expect(units === undefined || Number(formatAmount(units)) === value).toBe(true)
      }),
    )
  })

  test('An amount with up to four decimals and fifteen digits is always accepted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(1e11 - 1), max: 1e11 - 1 }),
        fc.nat(9_999),
        (whole, places) => {
          const text = `${whole}.${String(places).padStart(4, '0')}`
          expect(amountFromJson(Number(text))).toBe(amountFromJson(text))
        },
      ),
    )
  })
})

describe('the smallest coins of an amount', () => {
  test.each([
    [parseAmount('99'), 2, 9_900n],
    [parseAmount('99'), 0, 99n],
    [parseAmount('1.5'), 3, 1_500n],
    [parseAmount('0.0001'), 4, 1n],
    [0n, 2, 0n],
    [parseAmount('1.5'), 0, undefined],
    [parseAmount('0.001'), 2, undefined],
    [-10_000n, 2, undefined],
    [(2n ** 64n - 1n) * UNITS_PER_ONE, 0, 2n ** 64n - 1n],
    [2n ** 64n * UNITS_PER_ONE, 0, undefined],
  ])('%p with %p decimals are %p', (units, exponent, minor) => {
    expect(minorUnits(units ?? -1n, exponent)).toBe(minor)
  })
})
