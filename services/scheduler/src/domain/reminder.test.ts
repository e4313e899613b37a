import { describe, expect, test } from '@jest/globals'
import { firstTime, isSame, readReminder, type Proposal, type Reminder } from './reminder.ts'

const now = new Date('2030-01-02T03:04:05.006Z')

const proposal: Proposal = {
  id: 'close/DEFERREDNET',
  owner: 'settlements',
  dueAt: '',
  cron: '0 18 * * *',
  payload: '{"modelId":1}',
  taskType: 'EVENT',
  url: '',
  recovery: 'RETRY',
}

function read(changes: Partial<Proposal> = {}): Reminder {
  const answer = readReminder({ ...proposal, ...changes }, now)
  if (answer.type === 'REFUSE') throw new Error(answer.detail)
  return answer.reminder
}

test('a recurring reminder fires first at its next time', () => {
  expect(firstTime(read(), now)).toEqual(new Date('2030-01-02T18:00:00.000Z'))
})

test('one that comes once fires at its moment, and not in the past', () => {
  const at = (dueAt: string) => firstTime(read({ cron: '', dueAt }), now)
  expect(at('2030-01-02T03:04:05.007Z')).toEqual(new Date('2030-01-02T03:04:05.007Z'))
  expect(at('2030-01-02T03:04:05.006Z')).toMatchObject({ reason: 'TIME_PAST' })
})

describe('is refused', () => {
  test.each([
    [{ id: '' }, 'reminderId has 1 to 128 characters'],
    [{ id: 'x'.repeat(129) }, 'reminderId has 1 to 128 characters'],
    [{ owner: 'Some One' }, "owner is the name of a service's folder"],
    [{ payload: 'x'.repeat(16_385) }, 'payload has at most 16384 characters'],
    [{ taskType: 'SMS' }, 'taskType is EVENT or HTTP_POST'],
    [{ recovery: 'HOPE' }, 'recovery is RETRY or RESCHEDULE or ABORT or ABANDON'],
    [{ taskType: 'HTTP_POST' }, 'url is an http or https URL of a reminder that is posted'],
    [{ taskType: 'HTTP_POST', url: 'file:///x' }, 'url is an http or https URL'],
    [{ url: 'http://x.example' }, 'url is an http or https URL of a reminder that is posted'],
    [{ dueAt: '2031-01-01T00:00:00Z' }, 'either dueAt or cron is given'],
    [{ cron: '' }, 'either dueAt or cron is given'],
    [{ cron: '', dueAt: 'tomorrow' }, 'dueAt is an ISO 8601 time'],
    [{ cron: '61 * * * *' }, '61 * * * * is no cron expression of five or six fields'],
    [{ cron: '0 0 30 2 *' }, '0 0 30 2 * never comes'],
    [{ cron: `0 0 ${'1,'.repeat(100)}1 * *` }, 'cron has at most 200 characters'],
  ])('%j', (changes, detail) => {
    const answer = readReminder({ ...proposal, ...changes }, now)
    expect(answer).toMatchObject({ type: 'REFUSE', reason: 'INVALID' })
    expect('detail' in answer ? answer.detail : '').toContain(detail)
  })
})

test('two are the same when nothing about them differs', () => {
  expect(isSame(read(), read())).toBe(true)
  for (const changes of [
    { payload: '' },
    { cron: '0 19 * * *' },
    { cron: '', dueAt: '2031-01-01T00:00:00Z' },
    { recovery: 'ABORT' },
    { owner: 'transfers' },
    { taskType: 'HTTP_POST', url: 'http://x.example' },
  ]) {
    expect(isSame(read(), read(changes))).toBe(false)
  }
})
