import { describe, expect, test } from '@jest/globals'
import { judgeOwner, judgeRemoval, judgeRetry, seenOwners } from './access.ts'
import type { Reminder } from './reminder.ts'

const reminder: Reminder = {
  id: 'close',
  owner: 'settlements',
  schedule: { type: 'CRON', cron: '0 22 * * *' },
  payload: '',
  taskType: 'EVENT',
  url: undefined,
  recovery: 'RETRY',
}

describe('A reminder is changed by', () => {
  test.each([
    ['its owner', ['settlements'], undefined],
    ['its owner in one process with others', ['quoting', 'settlements'], undefined],
    ['a caller without a certificate, in one process', undefined, undefined],
    ['no other service', ['auth-service'], 'NOT_OWNER'],
    ['not the administration API, as if it were the owner', ['admin'], 'NOT_OWNER'],
  ])('%s', (_who, callers, reason) => {
    expect(judgeOwner(reminder, callers)?.reason).toBe(reason)
  })
})

test.each([
  ['a service its own', undefined, ['settlements'], ['settlements']],
  ['a service its own by name', 'settlements', ['settlements'], ['settlements']],
  ['a service none of another', 'auth-service', ['settlements'], []],
  [
    'some services of one process theirs',
    undefined,
    ['quoting', 'transfers'],
    ['quoting', 'transfers'],
  ],
  ['the administration API all', undefined, ['admin'], undefined],
  ['the administration API those of one service', 'settlements', ['admin'], ['settlements']],
  ['all services of one process all', undefined, undefined, undefined],
])('A list of reminders gives %s', (_what, asked, callers, seen) => {
  expect(seenOwners(asked, callers)).toEqual(seen)
})

describe('operators', () => {
  const failed = { reminder, state: 'FAILED' } as const
  const waiting = { reminder, state: 'WAITING' } as const
  const ofOperators = { reminder: { ...reminder, owner: 'admin' }, state: 'WAITING' } as const

  test('An operator deletes and retries a reminder that has failed', () => {
    expect(judgeRemoval(failed, 'close')).toEqual({ type: 'FOUND', stored: failed })
    expect(judgeRetry(failed, 'close')).toEqual({ type: 'FOUND', stored: failed })
  })

  test('An operator neither deletes nor retries a reminder of a service that still waits', () => {
    expect(judgeRemoval(waiting, 'close')).toMatchObject({ reason: 'REMINDER_WAITING' })
    expect(judgeRetry(waiting, 'close')).toMatchObject({ reason: 'REMINDER_WAITING' })
  })

  test('An operator deletes a waiting reminder that operators have created, and does not retry it', () => {
    expect(judgeRemoval(ofOperators, 'close')).toMatchObject({ type: 'FOUND' })
    expect(judgeRetry(ofOperators, 'close')).toMatchObject({ reason: 'REMINDER_WAITING' })
  })

  test('An operator is refused for a reminder that does not exist', () => {
    expect(judgeRemoval(undefined, 'close')).toMatchObject({ reason: 'REMINDER_UNKNOWN' })
  })
})
