import { expect, test } from '@jest/globals'
import { createdByFault, timeOf } from './contract.ts'

test.each(['2026-05-01T12:00:00Z', '2026-05-01T14:00:00.000+02:00'])(
  '%s is a valid time',
  (text) => {
    expect(timeOf('t', text, null)).toEqual(new Date('2026-05-01T12:00:00.000Z'))
  },
)

test('An absent time yields the default', () => {
  expect(timeOf('t', undefined, null)).toBeNull()
})

test.each([
  '',
  'tomorrow',
  '2026-05-01',
  '2026-05-01T12:00:00',
  '2026-13-01T12:00:00Z',
  '0000-12-31T12:00:00Z',
  '9999-12-31T23:00:00-02:00',
])('%s is no time', (text) => {
  expect(timeOf('validTo', text, null)).toMatchObject({ reason: 'INVALID' })
})

test('The author of a change is a short text', () => {
  expect(createdByFault('op')).toBeUndefined()
  expect(createdByFault('x'.repeat(129))).toMatchObject({ reason: 'INVALID' })
  expect(createdByFault('a\0b')).toMatchObject({ reason: 'INVALID' })
})
