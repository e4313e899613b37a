import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Subscribed } from '@causeway/bus'
import { onEvents, type Payload } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { egressSettings } from '@causeway/http'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import {
  schedulerService,
  type ScheduleReminder,
  type ScheduleReminderRecovery,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { DeliveryBounds } from './bounds.ts'
import { start } from './service.ts'
import type { SchedulerSettings } from './settings.ts'

const settings: SchedulerSettings = {
  SCHEDULER_DATABASE_URL: '',
  SCHEDULER_COMPONENT_KEY_FILE: undefined,
  ...defaultsOf(egressSettings),
  SCHEDULER_POLL_MS: 20,
}

const bounds: DeliveryBounds = {
  timeout_ms: 20_000,
  attempts_max: 3,
  first_ms: 20,
  max_ms: 50,
  reschedule_ms: 100,
}

let parts: TestParts
let service: Service
let scheduler: Calls<typeof schedulerService>
let received: Subscribed
/** "reminderId dueAt payload" of each reminder that was published. */
let outcomes: string[]
const servers: Server[] = []
const others: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  parts = await openTestParts()
  service = await start(settings, parts, bounds)
  scheduler = parts.grpc.client(schedulerService, 'scheduler')
  outcomes = []
  await listen()
})

afterEach(async () => {
  await received.stop()
  for (const other of others.splice(0).toReversed()) await other.stop()
  await service.stop()
  await parts.stop()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function listen(): Promise<void> {
  received = await onEvents(parts.bus, 'test_reminders', ['ScheduleReminderDue'], (events) => {
    for (const { payload } of events) {
      outcomes.push(`${payload.reminderId} ${payload.dueAt} ${payload.payload}`)
    }
    return Promise.resolve()
  })
}

function inFuture(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

function reminder(changes: Partial<ScheduleReminder> = {}): ScheduleReminder {
  return {
    reminderId: randomUUID(),
    owner: 'settlements',
    ...(changes.cron === undefined ? { dueAt: inFuture(1_000) } : {}),
    payload: 'close',
    taskType: 'EVENT',
    recovery: 'RETRY',
    ...changes,
  }
}

async function create(changes: Partial<ScheduleReminder> = {}): Promise<ScheduleReminder> {
  const asked = reminder(changes)
  expect(await scheduler.CreateScheduleReminder(asked)).toMatchObject({ outcome: 'CREATED' })
  return asked
}

async function listed() {
  return (await scheduler.ListScheduleReminders({})).reminders
}

function deliveries(count: number): Promise<readonly string[]> {
  return eventually(
    () => (outcomes.length >= count ? outcomes : undefined),
    `${count} tellings`,
    20_000,
  )
}

/** A server that answers as configured and records what is posted to it. */
async function server(answer: (count: number) => number | Promise<number>) {
  const posted: string[] = []
  const opened = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      posted.push(`${request.headers['reminder-due-at'] as string} ${body}`)
      Promise.resolve(answer(posted.length)).then(
        (status) => response.writeHead(status).end(),
        () => response.destroy(),
      )
    })
  })
  servers.push(opened)
  opened.listen(0, '127.0.0.1')
  await once(opened, 'listening')
  const { port } = opened.address() as AddressInfo
  return { posted, url: `http://127.0.0.1:${port}/reminders` }
}

describe('the addresses of reminders', () => {
  test('A reminder to an address behind the firewall is refused', async () => {
    for (const url of [
      'https://169.254.169.254/latest/meta-data/',
      'https://10.0.0.1/',
      'http://203.0.113.7/',
    ]) {
      const asked = reminder({ taskType: 'HTTP_POST', url })
      const { refusal } = await scheduler.CreateScheduleReminder(asked)
      expect([url, refusal?.reason]).toEqual([url, 'INVALID'])
    }
    expect(await listed()).toEqual([])
  })

  test('A reminder that was created before the rules became strict is not posted', async () => {
    const { posted, url } = await server(() => 200)
    const dueAt = inFuture(1_500)
    const { reminderId } = await create({ taskType: 'HTTP_POST', url, dueAt, recovery: 'ABORT' })
    await received.stop()
    await service.stop()
    parts = await parts.restart()
    service = await start({ ...settings, EGRESS_LOOPBACK: 'denied' }, parts, bounds)
    scheduler = parts.grpc.client(schedulerService, 'scheduler')
    await listen()
    const failed = await eventually(
      async () => (await listed()).find(({ state }) => state === 'FAILED'),
      'the failed reminder',
      20_000,
    )
    expect(failed).toMatchObject({
      reminder: { reminderId },
      lastError: expect.stringContaining('EGRESS_'),
    })
    expect(posted).toEqual([])
  })
})

describe('a reminder', () => {
  test('A one-time reminder is delivered once, at its time, and is then deleted', async () => {
    const { reminderId, dueAt } = await create()
    const [first] = await deliveries(1)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(dueAt ?? ''))
    expect(first).toBe(`${reminderId} ${dueAt} close`)
    expect(await listed()).toEqual([])
    expect(
      await scheduler.DeleteScheduleReminder({ reminderId, owner: 'settlements' }),
    ).toMatchObject({
      outcome: 'NOT_FOUND',
    })
  })

  test('A recurring reminder is delivered once at each of its times', async () => {
    const { reminderId } = await create({ cron: '* * * * * *' })
    await deliveries(3)
    const times = outcomes.map((line) => Date.parse(line.split(' ')[1] ?? ''))
    expect(new Set(times).size).toBe(times.length)
    expect(times.every((time) => time % 1_000 === 0)).toBe(true)
    expect(
      await scheduler.DeleteScheduleReminder({ reminderId, owner: 'settlements' }),
    ).toMatchObject({
      outcome: 'DELETED',
    })
    expect(await listed()).toEqual([])
  })

  test('A deleted reminder is not delivered', async () => {
    const { reminderId } = await create()
    await scheduler.DeleteScheduleReminder({ reminderId, owner: 'settlements' })
    const marker = await create()
    expect(await deliveries(1)).toEqual([`${marker.reminderId} ${marker.dueAt} close`])
  })

  test('A repeated creation changes nothing, and other content under the same id is refused', async () => {
    const asked = await create({ dueAt: inFuture(60_000) })
    expect(await scheduler.CreateScheduleReminder(asked)).toMatchObject({
      outcome: 'ALREADY_EXISTS',
      dueAt: asked.dueAt,
      refusal: null,
    })
    const other = await scheduler.CreateScheduleReminder({ ...asked, payload: 'open' })
    expect(other.refusal).toMatchObject({ reason: 'MODIFIED' })
    const same = Array.from({ length: 5 }, () => scheduler.CreateScheduleReminder(reminder()))
    expect((await Promise.all(same)).every(({ outcome }) => outcome === 'CREATED')).toBe(true)
    const one = reminder({ dueAt: inFuture(60_000) })
    const race = await Promise.all(
      Array.from({ length: 5 }, () => scheduler.CreateScheduleReminder(one)),
    )
    expect(race.map(({ outcome }) => String(outcome)).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => 'ALREADY_EXISTS'),
      'CREATED',
    ])
  })

  test('A reminder for a time in the past is refused', async () => {
    const past = await scheduler.CreateScheduleReminder(reminder({ dueAt: inFuture(-1_000) }))
    expect(past).toMatchObject({ refusal: { reason: 'TIME_PAST' } })
  })

  test('A reminder that was due while no process ran is delivered by the next process', async () => {
    const { reminderId, dueAt } = await create({ dueAt: inFuture(1_500) })
    await received.stop()
    const fresh = await parts.restart()
    await service.stop()
    parts = fresh
    await eventually(() => (Date.now() > Date.parse(dueAt ?? '') ? true : undefined), 'its time')
    await listen()
    service = await start(settings, parts, bounds)
    scheduler = parts.grpc.client(schedulerService, 'scheduler')
    expect(await deliveries(1)).toEqual([`${reminderId} ${dueAt} close`])
  })
})

test('Two instances deliver each reminder once', async () => {
  const { posted, url } = await server(() => 200)
  const { grpc, health, metrics } = await openTestParts().then((own) => {
    others.push(own)
    return own
  })
  others.push(await start(settings, { ...parts, grpc, health, metrics }, bounds))
  const dueAt = inFuture(5_000)
  const events = await Promise.all(Array.from({ length: 20 }, () => create({ dueAt })))
  const post = { dueAt, taskType: 'HTTP_POST', url } as const
  const posts = await Promise.all(
    Array.from({ length: 20 }, () => create({ ...post, payload: randomUUID() })),
  )
  await deliveries(20)
  await eventually(async () => ((await listed()).length === 0 ? true : undefined), 'all delivered')
  expect(outcomes.toSorted()).toEqual(
    events.map(({ reminderId }) => `${reminderId} ${dueAt} close`).toSorted(),
  )
  expect(posted.toSorted()).toEqual(posts.map(({ payload }) => `${dueAt} ${payload}`).toSorted())
})

describe('a reminder that is posted', () => {
  async function created(
    recovery: ScheduleReminderRecovery,
    answer: (count: number) => number,
    cron?: string,
  ) {
    const { posted, url } = await server(answer)
    const base = { recovery, taskType: 'HTTP_POST', url } as const
    const asked = cron === undefined ? base : { ...base, cron }
    return { posted, asked: await create(asked) }
  }

  function failed() {
    return eventually(async () => {
      const [first] = await listed()
      return first?.state === 'FAILED' ? first : undefined
    }, 'the failed reminder')
  }

  test('It is tried again until the server accepts it', async () => {
    const { posted, asked } = await created('RETRY', (count) => (count < 3 ? 503 : 200))
    await eventually(async () => ((await listed()).length === 0 ? true : undefined), 'its end')
    expect(posted).toEqual(Array.from({ length: 3 }, () => `${asked.dueAt} close`))
  })

  test('RETRY: after the last failed attempt it is retained with its error', async () => {
    const { posted } = await created('RETRY', () => 500)
    expect(await failed()).toMatchObject({ attempts: 3, lastError: 'answered 500' })
    expect(posted).toHaveLength(3)
  })

  test('ScheduleReminderFailed is published once for each due time that failed, and for nothing else', async () => {
    const given: Payload<'ScheduleReminderFailed'>[] = []
    const received = await onEvents(
      parts.bus,
      'test_failed',
      ['ScheduleReminderFailed'],
      (events) => {
        given.push(...events.map(({ payload }) => payload))
        return Promise.resolve()
      },
    )
    const { asked: late } = await created('RETRY', (count) => (count < 3 ? 503 : 200))
    const { asked } = await created('RETRY', () => 500)
    await eventually(() => given.length > 0 || undefined, 'the event')
    await eventually(async () => ((await listed()).length === 1 ? true : undefined), 'the late one')
    await received.stop()
    expect(late.reminderId).not.toBe(asked.reminderId)
    expect(given).toEqual([
      {
        reminderId: asked.reminderId,
        owner: asked.owner,
        dueAt: asked.dueAt,
        attempts: 3,
        error: 'answered 500',
        nextAt: null,
      },
    ])
  })

  test('RESCHEDULE: a one-time reminder is tried again later', async () => {
    const { posted } = await created('RESCHEDULE', (count) => (count < 2 ? 500 : 200))
    await eventually(async () => ((await listed()).length === 0 ? true : undefined), 'its end')
    expect(posted).toHaveLength(2)
  })

  test('RESCHEDULE: a recurring reminder skips the due time that failed', async () => {
    const { posted } = await created(
      'RESCHEDULE',
      (count) => (count < 2 ? 500 : 200),
      '* * * * * *',
    )
    await eventually(() => (posted.length >= 3 ? true : undefined), 'three times', 20_000)
    expect(new Set(posted).size).toBe(posted.length)
  })

  test('ABORT: it is retained after one failed attempt', async () => {
    const { posted } = await created('ABORT', () => 500)
    expect(await failed()).toMatchObject({ attempts: 1 })
    expect(posted).toHaveLength(1)
  })

  test('ABANDON: it is deleted after one failed attempt', async () => {
    const { posted } = await created('ABANDON', () => 500)
    await eventually(async () => ((await listed()).length === 0 ? true : undefined), 'its end')
    expect(posted).toHaveLength(1)
  })
})

describe('an operator', () => {
  async function failedOnce(status: () => number) {
    const { posted, url } = await server(status)
    const asked = await create({ recovery: 'ABORT', taskType: 'HTTP_POST', url })
    await eventually(async () => {
      const [first] = await listed()
      return first?.state === 'FAILED' ? true : undefined
    }, 'the failed reminder')
    return { posted, ...asked }
  }

  test('A failed reminder that an operator retries is delivered for the time that it failed for', async () => {
    let status = 500
    const { posted, reminderId, dueAt } = await failedOnce(() => status)
    status = 200
    expect(await scheduler.RetryReminder({ reminderId, actor: 'ada' })).toMatchObject({
      outcome: 'WAITING',
      dueAt,
    })
    await eventually(async () => ((await listed()).length === 0 ? true : undefined), 'its end')
    expect(posted).toEqual([`${dueAt} close`, `${dueAt} close`])
  })

  test('A reminder that fails again after a retry is published as another failure', async () => {
    const given: string[] = []
    const failures = await onEvents(
      parts.bus,
      'test_failed',
      ['ScheduleReminderFailed'],
      (events) => {
        given.push(...events.map(({ id }) => id))
        return Promise.resolve()
      },
    )
    others.push(failures)
    const { reminderId } = await failedOnce(() => 500)
    await scheduler.RetryReminder({ reminderId, actor: 'ada' })
    await eventually(() => (given.length >= 2 ? true : undefined), 'the second failure')
    expect(new Set(given).size).toBe(2)
  })

  test('The failure of a reminder that is deleted meanwhile is not published', async () => {
    const entries: string[] = []
    const names = ['ScheduleReminderFailed', '/audit-log-write'] as const
    const audited = await onEvents(parts.bus, 'test_failed', names, (events) => {
      for (const { name, payload } of events) {
        entries.push(name === '/audit-log-write' ? payload.actionType : name)
      }
      return Promise.resolve()
    })
    others.push(audited)
    const asked = { recovery: 'ABORT', taskType: 'HTTP_POST', reminderId: randomUUID() } as const
    const { url } = await server(async () => {
      await scheduler.DeleteScheduleReminder({ reminderId: asked.reminderId, owner: 'settlements' })
      return 500
    })
    await create({ ...asked, url })
    await eventually(() => entries.includes('DeleteScheduleReminder') || undefined, 'the deletion')
    await create()
    await deliveries(1)
    expect(entries).not.toContain('ScheduleReminderFailed')
  })

  test('An operator deletes a failed reminder, but no waiting one of a service', async () => {
    const { reminderId } = await failedOnce(() => 500)
    const { reminderId: waiting } = await create({ dueAt: inFuture(60_000) })
    const refused = await scheduler.RemoveReminder({ reminderId: waiting, actor: 'ada' })
    expect(refused.refusal?.reason).toBe('REMINDER_WAITING')
    expect((await scheduler.RemoveReminder({ reminderId, actor: 'ada' })).outcome).toBe('DELETED')
    expect((await listed()).map(({ reminder: one }) => one?.reminderId)).toEqual([waiting])
    const gone = await scheduler.RetryReminder({ reminderId, actor: 'ada' })
    expect(gone.refusal?.reason).toBe('REMINDER_UNKNOWN')
  })
})

test("A service deletes its own reminders and no other service's", async () => {
  const { reminderId } = await create({ dueAt: inFuture(60_000) })
  const stranger = { reminderId, owner: 'auth-service' }
  expect((await scheduler.DeleteScheduleReminder(stranger)).refusal?.reason).toBe('NOT_OWNER')
  expect(await listed()).toHaveLength(1)
  const owner = { reminderId, owner: 'settlements' }
  expect((await scheduler.DeleteScheduleReminder(owner)).outcome).toBe('DELETED')
})

test('Creation, firing, failure, retry and deletion leave one audit entry each', async () => {
  const entries: string[] = []
  const audited = await onEvents(parts.bus, 'test_audited', ['/audit-log-write'], (events) => {
    for (const { payload } of events) {
      const { actionType, actionSuccessful, securityContext, subject } = payload
      entries.push([subject, actionType, securityContext.userId, actionSuccessful].join(' '))
    }
    return Promise.resolve()
  })
  others.push(audited)
  const { url } = await server((count) => (count === 1 ? 500 : 200))
  const { reminderId: posted } = await create({ recovery: 'ABORT', taskType: 'HTTP_POST', url })
  await eventually(
    async () => ((await listed())[0]?.state === 'FAILED' ? true : undefined),
    'the failed reminder',
  )
  await scheduler.RetryReminder({ reminderId: posted, actor: 'ada' })
  await eventually(async () => ((await listed()).length === 0 ? true : undefined), 'its delivery')
  const { reminderId: fired } = await create()
  await deliveries(1)
  const later = reminder({ dueAt: inFuture(60_000), actor: 'grace' })
  await scheduler.CreateScheduleReminder(later)
  await scheduler.DeleteScheduleReminder({ reminderId: later.reminderId, owner: later.owner })
  await eventually(() => (entries.length >= 8 ? true : undefined), 'eight entries')
  expect(entries.toSorted()).toEqual(
    [
      `reminders/${posted} CreateScheduleReminder settlements true`,
      `reminders/${posted} FireScheduleReminder scheduler false`,
      `reminders/${posted} RetryScheduleReminder ada true`,
      `reminders/${posted} FireScheduleReminder scheduler true`,
      `reminders/${fired} CreateScheduleReminder settlements true`,
      `reminders/${fired} FireScheduleReminder scheduler true`,
      `reminders/${later.reminderId} CreateScheduleReminder grace true`,
      `reminders/${later.reminderId} DeleteScheduleReminder settlements true`,
    ].toSorted(),
  )
})
