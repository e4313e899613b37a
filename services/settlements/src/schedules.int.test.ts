/** Windows closed on schedules, with the scheduler. */
import { newEvent } from '@causeway/events'
import { settings as ledgerSettings, start as startLedger } from '@causeway/participant-lifecycle'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { schedulerService } from '@causeway/protos'
import { settings as schedulerSettings, start as startScheduler } from '@causeway/scheduler'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  addFsp,
  addModel,
  announce,
  openHub,
  openTestScheme,
  openWindow,
  pay,
  untilState,
  type TestScheme,
} from './testing/scheme.ts'

let scheme: TestScheme
let scheduler: Service | undefined
let modelId: number

beforeAll(async () => {
  scheme = await openTestScheme({
    async startLedger(parts) {
      scheduler = await startScheduler(defaultsOf(schedulerSettings), parts)
      return startLedger(defaultsOf(ledgerSettings), parts)
    },
  })
  await openHub(scheme)
  modelId = await addModel(scheme, { windowCron: '0 22 * * *' })
  for (const name of ['greenbank', 'redpay']) await addFsp(scheme, name)
})

afterAll(async () => {
  await scheduler?.stop()
  await scheme.stop()
})

/** The schedules of windows that the scheduler has: "id cron". */
async function reminders(): Promise<readonly string[]> {
  const { ListScheduleReminders } = scheme.parts.grpc.client(schedulerService, 'scheduler')
  const listed = await ListScheduleReminders({ owner: 'settlements' })
  return listed.reminders
    .map(({ reminder }) => `${reminder?.reminderId} ${reminder?.cron}`)
    .filter((reminder) => reminder.startsWith('settlements/close-window/'))
}

function untilReminders(...wanted: readonly string[]): Promise<true> {
  return eventually(
    async () => (await reminders()).toSorted().join() === wanted.toSorted().join() || undefined,
    `the reminders are ${wanted.join()}`,
  )
}

const due = (cron: string, dueAt: string, reminderId = reminderOf(modelId)) =>
  newEvent('scheduler', 'ScheduleReminderDue', {
    reminderId,
    owner: 'settlements',
    dueAt,
    payload: cron,
  })

function reminderOf(id: number): string {
  return `settlements/close-window/${id}`
}

async function payOne(): Promise<number> {
  const windowId = await openWindow(scheme)
  await pay(scheme, { payer: 'greenbank', payee: 'redpay', amount: '1', modelId })
  return windowId
}

test('A model registers its schedule when it is created, changed, switched off and on', async () => {
  const id = await addModel(scheme, { name: 'EURNET', currency: 'EUR', windowCron: '0 6 * * *' })
  const other = `${reminderOf(modelId)} 0 22 * * *`
  const change = (isActive: boolean, windowCron?: string) =>
    scheme.models.UpdateSettlementModel({
      name: 'EURNET',
      isActive,
      actor: 'ada',
      ...(windowCron === undefined ? {} : { windowCron }),
    })
  await untilReminders(other, `${reminderOf(id)} 0 6 * * *`)
  expect((await change(true, '30 6 * * *')).model?.windowCron).toBe('30 6 * * *')
  await untilReminders(other, `${reminderOf(id)} 30 6 * * *`)
  await change(false)
  await untilReminders(other)
  await change(true)
  await untilReminders(other, `${reminderOf(id)} 30 6 * * *`)
  await change(true, '')
  await untilReminders(other)
  expect((await change(true, 'at noon')).refusal).toMatchObject({ reason: 'INVALID' })
})

test('A schedule that the scheduler cannot store is tried until it can, and delays no other model', async () => {
  const before = await reminders()
  const alter = (change: string) =>
    scheme.parts.queryAs('scheduler', `alter table scheduler.reminders ${change}`)
  await alter("add constraint broken check (cron <> '13 13 * * *')")
  const ill = await addModel(scheme, { name: 'ILL', currency: 'XTS', windowCron: '13 13 * * *' })
  const well = await addModel(scheme, { name: 'WELL', currency: 'XXX', windowCron: '0 6 * * *' })
  await untilReminders(...before, `${reminderOf(well)} 0 6 * * *`)
  await alter('drop constraint broken')
  await untilReminders(...before, `${reminderOf(well)} 0 6 * * *`, `${reminderOf(ill)} 13 13 * * *`)
})

test('A schedule closes the window that is open at its time, once per time', async () => {
  const cron = '0 22 * * *'
  const first = await payOne()
  const event = due(cron, '2026-01-01T22:00:00.000Z')
  await announce(scheme, [event])
  await untilState(scheme, first, 'CLOSED')
  const second = await payOne()
  await announce(scheme, [event, due(cron, '2026-01-02T22:00:00.000Z')])
  await untilState(scheme, second, 'CLOSED')
  // The repeated reminder has closed nothing more, and an empty window stays open.
  const third = await openWindow(scheme)
  await announce(scheme, [due(cron, '2026-01-03T22:00:00.000Z')])
  expect(await payOne()).toBe(third)
  await announce(scheme, [due(cron, '2026-01-04T22:00:00.000Z')])
  await untilState(scheme, third, 'CLOSED')
  expect(third).toBeGreaterThan(second)
})

test('Two models with the same time close one window, and a former schedule closes none', async () => {
  const cron = '0 22 * * *'
  const id = await addModel(scheme, { name: 'GBPNET', currency: 'GBP', windowCron: cron })
  const windowId = await payOne()
  const time = '2026-01-05T22:00:00.000Z'
  await announce(scheme, [
    due('0 21 * * *', '2026-01-05T21:00:00.000Z'),
    due(cron, time),
    due(cron, time, reminderOf(id)),
  ])
  const { explanation } = await untilState(scheme, windowId, 'CLOSED')
  expect(explanation).toBe(`schedule ${time} of DEFERREDNET`)
  const next = await payOne()
  await announce(scheme, [due(cron, time, reminderOf(id))])
  await announce(scheme, [due(cron, '2026-01-06T22:00:00.000Z')])
  await untilState(scheme, next, 'CLOSED')
  expect(await openWindow(scheme)).toBe(next + 1)
})

test('A reminder without a model is removed when it is due', async () => {
  const { CreateScheduleReminder } = scheme.parts.grpc.client(schedulerService, 'scheduler')
  const reminderId = 'settlements/close-window/999'
  await CreateScheduleReminder({
    reminderId,
    owner: 'settlements',
    dueAt: '',
    cron: '* * * * * *',
    payload: '* * * * * *',
    taskType: 'EVENT',
    url: '',
    recovery: 'RETRY',
  })
  await eventually(
    async () => !(await reminders()).some((one) => one.startsWith(reminderId)) || undefined,
    'the reminder is gone',
  )
})

test('A model that closes windows every second needs no further call', async () => {
  await scheme.models.UpdateSettlementModel({
    name: 'DEFERREDNET',
    isActive: true,
    windowCron: '* * * * * *',
    actor: 'ada',
  })
  const windowId = await payOne()
  const { explanation } = await untilState(scheme, windowId, 'CLOSED')
  expect(explanation).toMatch(/^schedule .* of DEFERREDNET$/)
})
