import { describe, expect, test } from '@jest/globals'
import { isConflict, isOutage, sqlState } from './outage.ts'

function postgresError(code: string): Error {
  return Object.assign(new Error('refused'), { code, severity: 'ERROR' })
}

describe('an outage says nothing about the work', () => {
  test.each([
    ['08006', 'connection failure'],
    ['57P01', 'the server is shut down'],
    ['57P03', 'the server is starting up'],
    ['53100', 'the disk is full'],
    ['53300', 'there are too many connections'],
    ['58030', 'input and output failed'],
    ['40001', 'serialization failure'],
    ['40P01', 'deadlock'],
    ['57014', 'the statement took too long'],
    ['25006', 'the connection ended up on a standby'],
  ])('PostgreSQL says %s: %s', (code) => {
    expect(isOutage(postgresError(code))).toBe(true)
  })

  test.each([
    ['23505', 'a key is there already'],
    ['23514', 'a check refuses the row'],
    ['22P02', 'a text is no number'],
    ['42P01', 'there is no such table'],
    ['25P02', 'an earlier statement failed'],
  ])('but %s is a fault of the work: %s', (code) => {
    expect(isOutage(postgresError(code))).toBe(false)
  })

  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOSPC'])('the system says %s', (code) => {
    expect(isOutage(Object.assign(new Error('failed'), { code }))).toBe(true)
  })

  test('a socket that is not there is an outage, a file that is not there is none', () => {
    const missing = Object.assign(new Error('failed'), { code: 'ENOENT' })
    expect(isOutage(Object.assign(missing, { syscall: 'open' }))).toBe(false)
    expect(isOutage(Object.assign(missing, { syscall: 'connect' }))).toBe(true)
  })

  test('UNAVAILABLE and DEADLINE_EXCEEDED of gRPC are outages, INVALID_ARGUMENT is none', () => {
    const grpc = (code: number) => isOutage(Object.assign(new Error('failed'), { code }))
    expect([grpc(14), grpc(4), grpc(3)]).toEqual([true, true, false])
  })

  test('an outage is found behind the error that was made of it', () => {
    const cause = Object.assign(new Error('failed'), { code: 'ECONNRESET' })
    expect(isOutage(new Error('the ledger did not answer', { cause }))).toBe(true)
    expect(isOutage(new AggregateError([cause], 'all addresses failed'))).toBe(true)
  })

  test('a table that changed under a prepared statement is one, for the statement is prepared anew', () => {
    const changed = new Error('cached plan must not change result type')
    expect(isOutage(Object.assign(changed, { code: '0A000', severity: 'ERROR' }))).toBe(true)
    expect(isOutage(postgresError('0A000'))).toBe(false)
  })

  test('what is thrown without being an error is none', () => {
    expect([isOutage(undefined), isOutage('08006'), isOutage({ code: '08006' })]).toEqual([
      false,
      false,
      false,
    ])
  })
})

test('only a deadlock and a serialization failure let the whole transaction run again', () => {
  expect(
    ['40P01', '40001', '57014', '08006'].map((code) => isConflict(postgresError(code))),
  ).toEqual([true, true, false, false])
})

test('a code that did not come from PostgreSQL is no SQLSTATE', () => {
  expect(sqlState(Object.assign(new Error('failed'), { code: 'EPIPE' }))).toBeUndefined()
  expect(sqlState(postgresError('23505'))).toBe('23505')
})
