import { expect, test } from '@jest/globals'
import { decideUndelivered } from './undelivered.ts'

const error = { errorCode: '5107', errorDescription: 'Payee identifier no longer valid' }

test.each([
  ['no address', undefined, 0, error, { error }],
  ['an open circuit', undefined, 0, undefined, 'UNREACHABLE'],
  ['no answer', undefined, 3, undefined, 'UNREACHABLE'],
  ['a redirect', 302, 1, undefined, 'UNREACHABLE'],
  ['an outage', 503, 5, error, 'UNREACHABLE'],
  ['a missing service', 501, 1, error, 'NOT_IMPLEMENTED'],
  ['a refusal', 400, 1, undefined, 'REFUSED_WITHOUT_REASON'],
  ['a refused version', 406, 1, undefined, 'VERSION_REFUSED'],
  ['a refusal with its reason', 400, 1, error, { error }],
  ['a refused version with its reason', 406, 1, error, { error }],
])('%s has the reason for its cause', (_what, httpStatus, attempts, given, expected) => {
  const undelivered = { httpStatus, attempts, error: given, isExpired: false }
  expect(decideUndelivered(undelivered)).toEqual(expected)
})

test.each([
  ['no answer', undefined, 3, undefined, 'EXPIRED'],
  ['an open circuit', undefined, 0, undefined, 'EXPIRED'],
  ['no address', undefined, 0, error, { error }],
  ['an outage', 503, 5, error, 'UNREACHABLE'],
  ['a refusal with its reason', 400, 1, error, { error }],
])(
  '%s until the request expired has the reason for its cause',
  (_what, httpStatus, attempts, given, expected) => {
    const undelivered = { httpStatus, attempts, error: given, isExpired: true }
    expect(decideUndelivered(undelivered)).toEqual(expected)
  },
)
