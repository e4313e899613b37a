import { isOutage, outageIn } from '@causeway/process'
import { describe, expect, test } from '@jest/globals'
import { connecting, failureOf, isConflict, sqlState, wasRefused } from './failure.ts'

function serverError(code: string, severity = 'ERROR', routine = ''): Error {
  return Object.assign(new Error('refused'), { code, severity, routine })
}

function systemError(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })
}

describe('Failed statements:', () => {
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
  ])('A statement has met an outage if PostgreSQL reports that %s (%s)', (code) => {
    const failure = failureOf(serverError(code))
    expect([isOutage(failure), sqlState(failure)]).toEqual([true, code])
  })

  test.each([
    ['23505', 'a key is there already'],
    ['23514', 'a check refuses the row'],
    ['22P02', 'a text is no number'],
    ['42P01', 'there is no such table'],
    ['42501', 'a right is missing'],
    ['25P02', 'an earlier statement failed'],
  ])('A statement is itself the cause if PostgreSQL reports %s (%s)', (code) => {
    const error = serverError(code)
    expect(failureOf(error)).toBe(error)
    expect([isOutage(error), wasRefused(error)]).toEqual([false, true])
  })

  test('A statement has met an outage if its connection ended, whatever the code', () => {
    expect(isOutage(failureOf(serverError('XX000', 'FATAL')))).toBe(true)
    expect(isOutage(failureOf(systemError('ECONNRESET')))).toBe(true)
    expect(isOutage(failureOf(new Error('any text')))).toBe(true)
  })

  test('A statement has met an outage if a table has changed since it was prepared, because a new connection prepares it again', () => {
    expect(isOutage(failureOf(serverError('0A000', 'ERROR', 'RevalidateCachedQuery')))).toBe(true)
    expect(isOutage(failureOf(serverError('0A000', 'ERROR', 'transformStmt')))).toBe(false)
  })

  test('An ERROR is a definite refusal of a statement even if it is an outage; a FATAL is not', () => {
    const failures = [serverError('53100'), serverError('57P01', 'FATAL'), systemError('EPIPE')]
    expect(failures.map((error) => wasRefused(failureOf(error)))).toEqual([true, false, false])
  })
})

describe('Failures before there is a session:', () => {
  const failureToConnect = (error: Error) =>
    connecting(() => Promise.reject(error)).catch((caught: unknown) => caught)

  test.each([
    ['a wrong password', serverError('28P01', 'FATAL')],
    ['a rule of pg_hba', serverError('28000', 'FATAL')],
    ['a database that does not exist', serverError('3D000', 'FATAL')],
    ['a right that is missing', serverError('42501', 'FATAL')],
    [
      'an authority that is not known',
      Object.assign(new Error('tls'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
    ],
    [
      'a certificate that has expired',
      Object.assign(new Error('tls'), { code: 'CERT_HAS_EXPIRED' }),
    ],
  ])(
    'A connection that fails because of %s is an outage that an operator has to end',
    async (_name, error) => {
      expect(outageIn(await failureToConnect(error))?.kind).toBe('REFUSED')
    },
  )

  test.each([
    ['a server that starts', serverError('57P03', 'FATAL')],
    ['too many connections', serverError('53300', 'FATAL')],
    ['a port without a listener', systemError('ECONNREFUSED')],
    ['a missing socket', systemError('ENOENT')],
    ['addresses that all refuse', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })],
    ['a connect time-out', new Error('timeout expired')],
    ['a server without TLS', new Error('The server does not support SSL connections')],
  ])(
    'A connection that fails because of %s is an outage that may end by itself',
    async (_name, error) => {
      expect(outageIn(await failureToConnect(error))?.kind).toBe('AWAY')
    },
  )
})

test('Only a deadlock and a serialization failure let the whole transaction run again', () => {
  const codes = ['40P01', '40001', '57014', '08006']
  expect(codes.map((code) => isConflict(failureOf(serverError(code))))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('A code of another system is no SQLSTATE', () => {
  expect(sqlState(systemError('EPIPE'))).toBeUndefined()
  expect(sqlState(serverError('23505'))).toBe('23505')
})
