import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import * as fields from './fields.ts'
import { numberMember } from './json.ts'

const number = (text: string) => ({ [numberMember]: text })

function reasonOf(schema: z.ZodType, sent: unknown): string {
  const read = fields.read(z.strictObject({ it: schema }), { it: sent })
  return read.outcome === 'read' ? 'READ' : read.reason
}

describe('decimals', () => {
  test.each([
    ['10', 100_000n],
    [number('10'), 100_000n],
    [number('-0.5'), -5_000n],
    [number('123456789012345678.1234'), 1_234_567_890_123_456_781_234n],
    ['10.50', 105_000n],
  ])('The amount %j is read exactly', (sent, units) => {
    expect(fields.read(fields.decimal, sent)).toEqual({ outcome: 'read', value: units })
  })

  test.each([
    ['ten', 'MALFORMED'],
    ['', 'MALFORMED'],
    [number('1e3'), 'MALFORMED'],
    [number('0.00001'), 'MALFORMED'],
    [number('1234567890123456789'), 'MALFORMED'],
    [true, 'INVALID'],
    [null, 'INVALID'],
    [['1'], 'INVALID'],
    [undefined, 'MISSING'],
  ])('The value %j is %s', (sent, reason) => {
    expect(reasonOf(fields.decimal, sent)).toBe(reason)
  })

  test.each([
    [fields.decimalFromZero, '-1', 'INVALID'],
    [fields.decimalFromZero, '0', 'READ'],
    [fields.percentage, '100', 'READ'],
    [fields.percentage, '100.1', 'INVALID'],
  ])('Numbers have bounds', (schema, sent, reason) => {
    expect(reasonOf(schema, sent)).toBe(reason)
  })
})

describe('the query of a search', () => {
  const search = z.object(fields.searchFields('of the test'))

  test('A search without fields has no times, begins at the start and has a page of 50', () => {
    const value = { limit: 50 }
    expect(fields.read(search, {})).toEqual({ outcome: 'read', value })
  })

  test('A search has a page of 200 at most, and times in UTC', () => {
    expect(fields.read(search, { limit: '201', from: '2026-11-21' })).toMatchObject({
      value: { limit: 200, from: '2026-11-21T00:00:00.000Z' },
    })
    expect(reasonOf(search, { limit: '0' })).toBe('MALFORMED')
    expect(reasonOf(search, { to: 'soon' })).toBe('INVALID')
  })
})

test.each([
  [{ amount: '10.5', currency: 'USD' }, 'READ'],
  [{ amount: number('10.50'), currency: 'USD' }, 'READ'],
  [{ amount: '10.50', currency: 'USD' }, 'MALFORMED'],
  [{ amount: '0', currency: 'USD' }, 'INVALID'],
  [{ amount: number('-1'), currency: 'USD' }, 'INVALID'],
  [{ amount: '-1', currency: 'USD' }, 'MALFORMED'],
  [{ amount: '1', currency: 'usd' }, 'MALFORMED'],
  [{ amount: '1' }, 'MISSING'],
  [{ currency: 'USD' }, 'MISSING'],
  [{ amount: '1', currency: 'USD', more: 1 }, 'INVALID'],
])('The amount %j is %s', (sent, reason) => {
  expect(reasonOf(fields.money, sent)).toBe(reason)
})

test('Too many extensions are refused for their number, not for their length', () => {
  const extension = Array.from({ length: 17 }, (_, index) => ({ key: `k${index}`, value: 'v' }))
  expect(reasonOf(fields.extensionList, { extension })).toBe('TOO_MANY')
  expect(reasonOf(fields.extensionList, { extension: [] })).toBe('INVALID')
})

test('A missing member is reported before any other fault', () => {
  const schema = z.strictObject({ a: z.string().min(5), b: z.string() })
  expect(fields.read(schema, { a: 'x', c: 1 })).toMatchObject({ reason: 'MISSING', detail: 'b' })
})

test('A flag is a boolean, or its text', () => {
  for (const [sent, value] of [
    [true, true],
    ['false', false],
  ]) {
    expect(fields.read(fields.flag, sent)).toEqual({ outcome: 'read', value })
  }
  expect(reasonOf(fields.flag, 'yes')).toBe('INVALID')
  expect(reasonOf(fields.flag, number('1'))).toBe('INVALID')
})

test('An unknown value is refused with the permitted values', () => {
  const state = fields.read(z.strictObject({ it: z.enum(['OPEN', 'CLOSED', '']) }), { it: 'SHUT' })
  expect(state).toMatchObject({ reason: 'MALFORMED', detail: 'it must be OPEN or CLOSED' })
  const one = fields.read(z.strictObject({ it: z.literal('CLOSED') }), { it: 'OPEN' })
  expect(one).toMatchObject({ detail: 'it must be CLOSED' })
})
