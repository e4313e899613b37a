import { expect, test } from '@jest/globals'
import { paidWithin } from './facts.ts'

const quote = {
  completedAt: '2026-01-15T12:00:00.000Z',
  validUntil: '2026-01-16T12:00:00.000Z',
}

test('The transfer of an open transaction is searched for as long as its quote is valid', () => {
  expect(paidWithin(quote, '')).toEqual({ from: quote.completedAt, to: quote.validUntil })
})

test('The transfer of a transaction that has ended is searched for until a minute after its end', () => {
  const to = '2026-01-15T12:01:03.500Z'
  expect(paidWithin(quote, '2026-01-15T12:00:03.500Z')).toEqual({ from: quote.completedAt, to })
})

test('The transfer is not searched for beyond the validity of its quote', () => {
  const ended = '2026-01-16T11:59:30.000Z'
  expect(paidWithin(quote, ended)).toEqual({ from: quote.completedAt, to: quote.validUntil })
})

test('A quote that was answered after its expiration is searched for at the time of its answer', () => {
  const late = { ...quote, validUntil: '2026-01-15T11:00:00.000Z' }
  expect(paidWithin(late, '')).toEqual({ from: quote.completedAt, to: quote.completedAt })
})
