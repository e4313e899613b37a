import { eventually } from '@causeway/process/testing'
import { schedulerService } from '@causeway/protos'
import * as scheduler from '@causeway/scheduler'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld

const reminder = {
  owner: 'reports',
  payload: '',
  taskType: 'EVENT',
  recovery: 'ABORT',
} as const

beforeAll(async () => {
  admin = await openWorld([scheduler], { SCHEDULER_POLL_MS: '10' })
  const { CreateScheduleReminder } = admin.parts.grpc.client(schedulerService, 'scheduler')
  await CreateScheduleReminder({ ...reminder, reminderId: 'daily', cron: '0 22 * * *' })
  await CreateScheduleReminder({
    ...reminder,
    reminderId: 'once',
    dueAt: new Date(Date.now() + 300).toISOString(),
    taskType: 'HTTP_POST',
    // Nothing listens there.
    url: 'http://127.0.0.1:1/hooks/secret?token=secret',
  })
})

afterAll(() => admin.stop())

test('An operator sees pending reminders, and those that could not be delivered', async () => {
  const failed = await eventually(async () => {
    const { json } = await admin.call('GET', '/reminders?state=FAILED')
    const [first] = json as readonly unknown[]
    return first
  }, 'the failed reminder')
  expect(failed).toMatchObject({
    reminderId: 'once',
    owner: 'reports',
    state: 'FAILED',
    attempts: 1,
    url: 'http://127.0.0.1:1',
    lastError: expect.stringContaining('ECONNREFUSED'),
  })
  expect(JSON.stringify(failed)).not.toContain('secret')
  const { json } = await admin.call('GET', '/reminders?owner=reports&state=WAITING')
  expect(json).toMatchObject([{ reminderId: 'daily', cron: '0 22 * * *', taskType: 'EVENT' }])
  expect((await admin.call('GET', '/reminders?state=LOST')).status).toBe(400)
})

test('An operator retries and deletes a failed reminder, and no waiting one of a service', async () => {
  const failing = { reminderId: 'failing/1', url: 'http://127.0.0.1:1/', recovery: 'ABORT' }
  const dueAt = new Date(Date.now() + 300).toISOString()
  expect(await admin.call('POST', '/reminders/single', { ...failing, dueAt })).toMatchObject({
    status: 200,
    json: { reminderId: 'failing/1', dueAt },
  })
  const untilFailed = () =>
    eventually(async () => {
      const { json } = await admin.call('GET', '/reminders?owner=admin&state=FAILED')
      return (json as readonly unknown[]).length > 0 ? true : undefined
    }, 'the failed reminder')
  await untilFailed()
  const path = '/reminders/failing%2F1'
  expect((await admin.call('POST', `${path}/retry`)).status).toBe(200)
  await untilFailed()
  expect((await admin.call('DELETE', path)).status).toBe(204)
  expect((await admin.call('DELETE', path)).status).toBe(404)
  expect((await admin.call('DELETE', '/reminders/daily')).status).toBe(400)
})

test('An operator creates a recurring reminder, deletes it, and is refused a time in the past', async () => {
  const own = { reminderId: 'nightly', url: 'https://jobs.hub.example/nightly', cron: '0 3 * * *' }
  expect((await admin.call('POST', '/reminders', own)).status).toBe(200)
  expect((await admin.call('POST', '/reminders', { ...own, cron: '0 4 * * *' })).status).toBe(400)
  expect((await admin.call('POST', '/reminders', { ...own, cron: 'at noon' })).status).toBe(400)
  const { json } = await admin.call('GET', '/reminders?owner=admin')
  expect(json).toMatchObject([{ reminderId: 'nightly', owner: 'admin', taskType: 'HTTP_POST' }])
  expect((await admin.call('DELETE', '/reminders/nightly')).status).toBe(204)
  const past = { reminderId: 'late', url: own.url, dueAt: '2020-01-01T00:00:00Z' }
  expect((await admin.call('POST', '/reminders/single', past)).status).toBe(400)
})
