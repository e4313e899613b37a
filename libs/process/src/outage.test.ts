import { expect, test } from '@jest/globals'
import { isOutage, needsOperator, Outage } from './outage.ts'

test('An outage is recognized by its type, not by its text', () => {
  expect(isOutage(new Outage('anything'))).toBe(true)
  expect(isOutage(new Error('Connection terminated'))).toBe(false)
  expect(isOutage(Object.assign(new Error('connection lost'), { code: 'ECONNRESET' }))).toBe(false)
})

test('An outage is found behind the errors that wrap it', () => {
  const cause = new Outage('the connection was lost')
  const error = new Error('the ledger did not answer', { cause })
  expect(isOutage(error)).toBe(true)
  expect(isOutage(new Error('the batch failed', { cause: error }))).toBe(true)
  expect(isOutage(new AggregateError([new Error('a bug'), cause], 'all failed'))).toBe(true)
})

test('A thrown value that is not an Error is no outage', () => {
  expect([undefined, null, '08006', { code: '08006' }].map(isOutage)).toEqual(Array(4).fill(false))
})

test('An outage that time alone does not end needs an operator', () => {
  const refused = new Outage('wrong password', { kind: 'REFUSED' })
  const tooLarge = new Outage('17 MiB', { kind: 'TOO_LARGE' })
  const made = new Error('no ledger', { cause: refused })
  const all = [new Outage('gone'), refused, tooLarge, made, new Error('a bug')]
  expect(all.map(needsOperator)).toEqual([false, true, true, true, false])
})
