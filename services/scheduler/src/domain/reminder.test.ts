import { describe, expect, test } from '@jest/globals'
import { firstTime, isSame, readReminder, type Proposal, type Reminder } from './reminder.ts'

const now = new Date('2030-01-02T03:04:05.006Z')

const proposal: Proposal = {
  id: 'close/DEFERREDNET',
  owner: 'settlements',
  dueAt: undefined,
  cron: '0 18 * * *',
  payload: '{"modelId":1}',
  taskType: 'EVENT',
  url: undefined,
  recovery: 'RETRY',
}

function read(changes: Partial<Proposal> = {}): Reminder {
  const answer = readReminder({ ...proposal, ...changes }, now)
  if (answer.type === 'REFUSE') throw new Error(answer.detail)
  return answer.reminder
}

test('A recurring reminder is first due at the next time of its schedule', () => {
  expect(firstTime(read(), now)).toEqual(new Date('2030-01-02T18:00:00.000Z'))
})

test('A one-time reminder is due at its time, and is refused when that time is in the past', () => {
  const at = (dueAt: string) => firstTime(read({ cron: undefined, dueAt }), now)
  expect(at('2030-01-02T03:04:05.007Z')).toEqual(new Date('2030-01-02T03:04:05.007Z'))
  expect(at('2030-01-02T03:04:05.006Z')).toMatchObject({ reason: 'TIME_PAST' })
})

describe('an invalid reminder', () => {
  test.each([
    [{ id: '' }, 'reminderId must have 1 to 128 characters'],
    [{ id: 'x'.repeat(129) }, 'reminderId must have 1 to 128 characters'],
    [{ owner: 'Some One' }, "owner must be the name of a service's folder"],
    [{ payload: 'x'.repeat(16_385) }, 'payload must have at most 16384 characters'],
    [{ taskType: 'HTTP_POST' }, 'url must be an http or https URL for HTTP_POST'],
    [{ taskType: 'HTTP_POST', url: 'file:///x' }, 'url must be an http or https URL'],
    [{ url: 'http://x.example' }, 'url must be an http or https URL for HTTP_POST'],
    [{ dueAt: '2031-01-01T00:00:00Z' }, 'exactly one of dueAt and cron must be given'],
    [{ cron: undefined }, 'exactly one of dueAt and cron must be given'],
    [{ cron: undefined, dueAt: 'tomorrow' }, 'dueAt must be an ISO 8601 time'],
    [{ cron: '61 * * * *' }, '61 * * * * is not a cron expression of five or six fields'],
    [{ cron: '0 0 30 2 *' }, '0 0 30 2 * never matches a time'],
    [{ cron: `0 0 ${'1,'.repeat(100)}1 * *` }, 'cron must have at most 200 characters'],
  ] satisfies readonly (readonly [Partial<Proposal>, string])[])(
    'A reminder with %j is refused',
    (changes, detail) => {
      const answer = readReminder({ ...proposal, ...changes }, now)
      expect(answer).toMatchObject({ type: 'REFUSE', reason: 'INVALID' })
      expect('detail' in answer ? answer.detail : '').toContain(detail)
    },
  )
})

test('Two reminders are the same only when none of their fields differ', () => {
  expect(isSame(read(), read())).toBe(true)
  for (const changes of [
    { payload: '' },
    { cron: '0 19 * * *' },
    { cron: undefined, dueAt: '2031-01-01T00:00:00Z' },
    { recovery: 'ABORT' },
    { owner: 'transfers' },
    { taskType: 'HTTP_POST', url: 'http://x.example' },
  ] satisfies readonly Partial<Proposal>[]) {
    expect(isSame(read(), read(changes))).toBe(false)
  }
})
