import { eventually } from '@causeway/process/testing'
import { schedulerService } from '@causeway/protos'
import * as scheduler from '@causeway/scheduler'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type World } from '../testing/world.ts'

let admin: World

const reminder = {
  owner: 'reports',
  dueAt: '',
  cron: '',
  payload: '',
  taskType: 'EVENT',
  url: '',
  recovery: 'ABORT',
}

beforeAll(async () => {
  admin = await openWorld([scheduler], {
    SCHEDULER_POLL_MS: '10',
    SCHEDULER_HTTP_TIMEOUT_MS: '500',
  })
  const { CreateScheduleReminder } = admin.parts.grpc.client(schedulerService, 'scheduler')
  await CreateScheduleReminder({ ...reminder, reminderId: 'daily', cron: '0 22 * * *' })
  await CreateScheduleReminder({
    ...reminder,
    reminderId: 'once',
    dueAt: new Date(Date.now() + 300).toISOString(),
    taskType: 'HTTP_POST',
    // Nothing listens there.
    url: 'http://127.0.0.1:1/',
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
    url: 'http://127.0.0.1:1/',
    lastError: expect.stringContaining('ECONNREFUSED'),
  })
  const { json } = await admin.call('GET', '/reminders?owner=reports&state=WAITING')
  expect(json).toMatchObject([{ reminderId: 'daily', cron: '0 22 * * *', taskType: 'EVENT' }])
  expect((await admin.call('GET', '/reminders?state=LOST')).status).toBe(400)
})
