import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { ensureMonthlyPartitions, monthOf, statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { notificationsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  notify,
  openSink,
  openWorld,
  allowDuplicates,
  type Sink,
  type NotificationsWorld,
} from './testing/world.ts'

let world: NotificationsWorld | undefined
const sinks: Sink[] = []

afterEach(async () => {
  for (const sink of sinks) {
    sink.answers = () => 200
    sink.release(200)
  }
  await world?.stop()
  world = undefined
  for (const sink of sinks.splice(0)) await sink.close()
})

async function sinkThat(answers?: Sink['answers']): Promise<Sink> {
  const sink = await openSink(answers)
  sinks.push(sink)
  return sink
}

async function openTestWorld(...how: Parameters<typeof openWorld>): Promise<NotificationsWorld> {
  world = await openWorld(...how)
  return world
}

function count(expected: number, actual: () => number, what: string, timeout_ms = 10_000) {
  return eventually(() => (actual() >= expected ? true : undefined), what, timeout_ms)
}

describe('Delivery of a notification', () => {
  test('A notification arrives with its relayed bytes and headers and is reported once', async () => {
    const sink = await sinkThat(() => 202)
    const { publish, reports } = await openTestWorld()
    const body = Buffer.from('{"amount" : "1",\n "x":"é\\u0000"}')
    const relayed = { 'fspiop-source': 'greenbank', 'x-forwarded-for': '10.0.0.1, 10.0.0.2' }
    const message = notify({
      url: `${sink.url}/transfers/1?a=b`,
      headers: { 'fspiop-destination': 'bluewallet' },
      relay: { body, headers: Buffer.from(JSON.stringify(relayed)) },
    })
    await publish(message)
    await count(1, () => reports.length, 'the report')
    const [received] = sink.received
    expect(received?.method).toBe('PUT')
    expect(received?.path).toBe('/transfers/1?a=b')
    expect(received?.body.equals(body)).toBe(true)
    expect(received?.headers).toMatchObject({ ...relayed, 'fspiop-destination': 'bluewallet' })
    expect(reports).toEqual([
      {
        notificationId: message.id,
        cause: { msgName: 'TransferCommittedFulfiled', entityId: message.key },
        legRole: 'PAYER',
        destinationFspId: 'bluewallet',
        status: 'SUCCESS',
        httpStatus: 202,
        attempts: 1,
        duration_ms: expect.any(Number),
        reportedAt: expect.any(String),
      },
    ])
  })

  test('A notification to an address behind the firewall is not sent, and is reported as failed', async () => {
    const sink = await sinkThat()
    const { publish, reports } = await openTestWorld({ FSP_HOST: '0.0.0.0' })
    await publish(notify({ url: `${sink.url}/transfers/1`, deadline_ms: 500 }))
    await count(1, () => reports.length, 'the report')
    expect(reports).toMatchObject([{ status: 'FAILED' }])
    expect(sink.received).toEqual([])
  })

  test('A redelivered notification is sent once, in whatever batches it is received', async () => {
    const sink = await sinkThat()
    const { publish, reports, parts } = await openTestWorld()
    await allowDuplicates(parts)
    const messages = Array.from({ length: 60 }, () => notify({ url: sink.url }))
    await publish(...messages, ...messages.slice(0, 5))
    await count(60, () => reports.length, 'all reports')
    for (const message of messages) await publish(message)
    await publish(...messages)
    const last = notify({ url: sink.url })
    await publish(last)
    await count(61, () => reports.length, 'the last report')
    expect(sink.received).toHaveLength(61)
    expect(new Set(reports.map(({ notificationId }) => notificationId)).size).toBe(61)
  })

  test('A parked notification that is redelivered by the bus is sent once', async () => {
    const sink = await sinkThat(() => 'HANG')
    const { publish, reports } = await openTestWorld()
    const message = notify({ url: sink.url })
    await publish(message)
    await count(1, () => sink.received.length, 'the first attempt')
    await publish(message, message)
    await publish(notify({ url: sink.url, fspId: 'greenbank' }))
    await count(2, () => sink.received.length, 'the message after it')
    sink.release(200)
    await count(2, () => reports.length, 'both reports')
    expect(sink.received).toHaveLength(2)
  })

  test('An invalid notification is a dead letter of the bus, and the others of its batch arrive', async () => {
    const sink = await sinkThat()
    const { publish, reports, parts } = await openTestWorld()
    const good = notify({ url: sink.url })
    const bad = notify({ url: sink.url })
    const payload = { ...(bad.payload as object), deadline: 'tomorrow' }
    await publish({ ...bad, payload }, good)
    await count(1, () => reports.length, 'the report of the neighbour')
    const [deadLetter] = await eventually(async () => {
      const busDeadLetters = await parts.bus.deadLetters(10)
      return busDeadLetters.length > 0 ? busDeadLetters : undefined
    }, 'the dead letter')
    expect(deadLetter).toMatchObject({ id: bad.id, group: 'notifications' })
    expect(sink.received).toHaveLength(1)
  })
})

describe('An FSP that refuses', () => {
  test('An FSP that refuses and later accepts receives everything at least once, reported once', async () => {
    let isAway = true
    const sink = await sinkThat(() => (isAway ? 503 : 200))
    const { publish, reports } = await openTestWorld()
    const messages = Array.from({ length: 300 }, () => notify({ url: sink.url }))
    await publish(...messages)
    const triesWhileAway = 20
    await count(triesWhileAway, () => sink.received.length, 'tries while it is away')
    isAway = false
    await count(300, () => reports.length, 'all reports')
    expect(new Set(reports.map(({ notificationId }) => notificationId)).size).toBe(300)
    expect(reports.every(({ status }) => status === 'SUCCESS')).toBe(true)
    const bodies = new Set(sink.received.map(({ body }) => body.toString()))
    expect(bodies).toEqual(new Set(messages.map(({ id }) => id)))
  })

  test('While its circuit is open an FSP gets one trial at a time', async () => {
    const sink = await sinkThat(() => 500)
    const trial_ms = 200
    const { publish } = await openTestWorld({
      NOTIFICATIONS_LANE_MAX: 1,
      NOTIFICATIONS_CIRCUIT_TRIAL_MS: trial_ms,
    })
    await publish(...Array.from({ length: 50 }, () => notify({ url: sink.url })))
    await count(10, () => sink.received.length, 'five failures and five trials')
    const pauses = sink.received
      .slice(5, 10)
      .map(({ at_ms }, at) => at_ms - (sink.received[4 + at]?.at_ms ?? 0))
    // A trial that arrives late shortens the pause after it; without a pause they follow within milliseconds.
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(trial_ms / 2)
  })

  test('After a 400 a request becomes a dead letter, and an outcome is retried until it is accepted', async () => {
    let isWell = false
    const sink = await sinkThat(() => (isWell ? 200 : 400))
    const { publish, reports } = await openTestWorld()
    const request = notify({ url: sink.url, method: 'POST' })
    const outcome = notify({ url: sink.url, method: 'PUT' })
    await publish(request, outcome)
    await count(1, () => reports.length, 'the report of the request')
    expect(reports[0]).toMatchObject({
      notificationId: request.id,
      status: 'FAILED',
      httpStatus: 400,
      lastError: 'answered 400',
      attempts: 1,
    })
    await count(4, () => sink.received.length, 'further attempts of the outcome')
    isWell = true
    await count(2, () => reports.length, 'the report of the outcome')
    expect(reports[1]).toMatchObject({ notificationId: outcome.id, status: 'SUCCESS' })
    const ofRequest = sink.received.filter(({ method }) => method === 'POST')
    expect(ofRequest).toHaveLength(1)
  })

  test('A redirect is not followed', async () => {
    const sink = await sinkThat(() => 307)
    const { publish, reports } = await openTestWorld()
    await publish(notify({ url: sink.url }))
    await count(1, () => reports.length, 'the report')
    expect(reports[0]).toMatchObject({ status: 'FAILED', httpStatus: 307, attempts: 1 })
    expect(sink.received).toHaveLength(1)
  })
})

describe('an FSP that hangs', () => {
  test('An FSP that does not answer does not delay another one', async () => {
    const slow = await sinkThat(() => 'HANG')
    const quick = await sinkThat()
    // A message that waits for the slow FSP waits longer than this test runs.
    const { publish, reports } = await openTestWorld({ park_after_ms: 30_000 })
    for (let at = 0; at < 40; at++) {
      await publish(...Array.from({ length: 10 }, () => notify({ url: slow.url, fspId: 'slow' })))
      const before = quick.received.length
      await publish(notify({ url: quick.url, fspId: 'quick' }))
      await count(before + 1, () => quick.received.length, 'the callback of the quick one')
    }
    await count(40, () => reports.length, 'the reports of the quick one')
    expect(reports.every(({ destinationFspId }) => destinationFspId === 'quick')).toBe(true)
    expect(slow.atOnce_max).toBeLessThanOrEqual(32)
  }, 30_000)

  test('Any number of unanswered messages to one FSP delays no message to another FSP', async () => {
    const slow = await sinkThat(() => 'HANG')
    const quick = await sinkThat()
    const { publish } = await openTestWorld({ park_after_ms: 10_000 })
    for (let at = 0; at < 200; at++) await publish(notify({ url: slow.url, fspId: 'slow' }))
    const entityId = randomUUID()
    const toQuick = () => notify({ url: quick.url, fspId: 'quick', entityId })
    await publish(
      toQuick(),
      ...Array.from({ length: 50 }, () => notify({ url: slow.url, fspId: 'slow' })),
    )
    await publish(toQuick())
    await count(2, () => quick.received.length, 'both messages to the quick one', 5_000)
    expect(slow.atOnce_max).toBe(24)
    slow.answers = () => 200
    slow.release(200)
  }, 30_000)

  test('A late answer completes the parked notification without a second attempt', async () => {
    const sink = await sinkThat(() => 'HANG')
    const { publish, reports, parts } = await openTestWorld()
    await publish(notify({ url: sink.url }))
    await eventually(async () => {
      const metrics = await parts.metrics.metrics()
      return /notifications_undelivered\{state="PARKED",fsp="bluewallet"\} 1/.test(metrics)
        ? true
        : undefined
    }, 'the parked row')
    sink.release(200)
    await count(1, () => reports.length, 'the report')
    expect(reports[0]).toMatchObject({ status: 'SUCCESS', attempts: 1 })
    expect(await parts.metrics.metrics()).not.toContain('state="PARKED"')
    expect(sink.received).toHaveLength(1)
  })
})

describe('Order of notifications', () => {
  test('The order per FSP and entity is preserved while the FSP fails every other time', async () => {
    let turn = 0
    const sink = await sinkThat(() => (turn++ % 2 === 0 ? 503 : 200))
    const { publish, reports } = await openTestWorld({ NOTIFICATIONS_CIRCUIT_FAILURES_MAX: 1_000 })
    const entities = Array.from({ length: 10 }, () => randomUUID())
    for (let step = 0; step < 8; step++) {
      await publish(
        ...entities.map((entityId) =>
          notify({ url: `${sink.url}/${entityId}`, entityId, body: String(step) }),
        ),
      )
    }
    await count(80, () => reports.length, 'all reports')
    for (const entityId of entities) {
      const steps = sink.received
        .filter(({ path }) => path === `/${entityId}`)
        .map(({ body }) => Number(body.toString()))
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      expect(new Set(steps).size).toBe(8)
    }
  }, 20_000)

  test('The order is preserved within one batch', async () => {
    const sink = await sinkThat()
    const { publish, reports } = await openTestWorld()
    const entityId = randomUUID()
    await publish(...['1', '2', '3'].map((body) => notify({ url: sink.url, entityId, body })))
    await count(3, () => reports.length, 'all reports')
    expect(sink.received.map(({ body }) => body.toString())).toEqual(['1', '2', '3'])
  })
})

describe('Deadlines of notifications', () => {
  test('A notification whose deadline has passed is not sent', async () => {
    const sink = await sinkThat()
    const { publish, reports } = await openTestWorld()
    await publish(notify({ url: sink.url, method: 'POST', deadline_ms: -1 }))
    await count(1, () => reports.length, 'the report')
    expect(reports[0]).toMatchObject({ status: 'FAILED', attempts: 0 })
    expect(sink.received).toHaveLength(0)
  })

  test('No attempt begins after the deadline', async () => {
    const sink = await sinkThat(() => 503)
    const { publish, reports } = await openTestWorld()
    const message = notify({ url: sink.url, method: 'POST', deadline_ms: 300 })
    const { deadline } = message.payload as { deadline: string }
    await publish(message)
    await count(1, () => reports.length, 'the report')
    expect(reports[0]).toMatchObject({
      status: 'FAILED',
      lastError: 'the deadline passed before it could be delivered',
    })
    expect(sink.received.length).toBeGreaterThan(1)
    for (const { at_ms } of sink.received) expect(at_ms).toBeLessThan(Date.parse(deadline) + 20)
  })
})

describe('Dead letters', () => {
  test('An operator can list dead letters and send them again', async () => {
    let isWell = false
    const sink = await sinkThat(() => (isWell ? 200 : 503))
    const { publish, reports, parts } = await openTestWorld()
    const outcome = notify({ url: sink.url, deadline_ms: 100 })
    const request = notify({ url: sink.url, method: 'POST', deadline_ms: 100 })
    await publish(outcome, request)
    await count(2, () => reports.length, 'both reports')
    isWell = true
    const operator = parts.grpc.client(notificationsService, 'notifications')
    const { deadLetters } = await operator.ListDeadLetters({ fspId: 'bluewallet', limit: 10 })
    expect(new Set(deadLetters.map(({ notificationId }) => notificationId))).toEqual(
      new Set([outcome.id, request.id]),
    )
    const ids = [outcome.id, request.id, randomUUID(), 'nonsense']
    const { answers } = await operator.ResendDeadLetters({ ids })
    expect(answers.map(({ outcome: what }) => what)).toEqual([
      'RESENT',
      'EXPIRED',
      'UNKNOWN',
      'UNKNOWN',
    ])
    await count(3, () => reports.length, 'the report of the resent message')
    expect(reports[2]).toMatchObject({ notificationId: outcome.id, status: 'SUCCESS' })
    const left = await operator.ListDeadLetters({ limit: 10 })
    expect(left.deadLetters).toMatchObject([{ notificationId: request.id }])
  })
})

test('A dead letter of an archived month is sent again in the current month', async () => {
  let isWell = false
  const sink = await sinkThat(() => (isWell ? 200 : 503))
  const { publish, reports, parts } = await openTestWorld()
  const outcome = notify({ url: sink.url, deadline_ms: 100 })
  await publish(outcome)
  await count(1, () => reports.length, 'the report')
  const db = await parts.openDatabase({
    url: '',
    ...schemaOf('notifications'),
    connections_max: 1,
  })
  await ensureMonthlyPartitions(db, ['undelivered'], new Date('2025-03-01'))
  await db.query(statement(`update undelivered set month = '2025-03-01'`), [])
  await db.query(statement('delete from deliveries'), [])
  isWell = true
  const operator = parts.grpc.client(notificationsService, 'notifications')
  const { answers } = await operator.ResendDeadLetters({ ids: [outcome.id] })
  expect(answers).toMatchObject([{ outcome: 'RESENT' }])
  await count(2, () => reports.length, 'the report of the resent message')
  expect(reports[1]).toMatchObject({ notificationId: outcome.id, status: 'SUCCESS' })
  const rows = await db.query(statement('select status, month::text from deliveries'), [])
  expect(rows).toEqual([{ status: 'SUCCESS', month: monthOf(new Date()) }])
})

test('A stop waits for attempts in progress, and the next start does not repeat them', async () => {
  const sink = await sinkThat(() => 'HANG')
  const { parts, publish, reports, service } = await openTestWorld()
  await publish(notify({ url: sink.url }))
  await count(1, () => sink.received.length, 'the first attempt')
  const stopped = service.stop()
  sink.answers = () => 200
  sink.release(200)
  await stopped
  expect(sink.received).toHaveLength(1)
  await count(1, () => reports.length, 'the report')
  expect(reports[0]).toMatchObject({ status: 'SUCCESS', attempts: 1 })
  expect(await parts.bus.deadLetters(1)).toEqual([])
})

describe('Recovery after a crash', () => {
  test('After a crash a callback that was received but not sent is sent', async () => {
    const sink = await sinkThat()
    const parts: TestParts = await openTestParts()
    // Not consumed yet: the group exists, and its offset is before the message.
    await parts.bus.subscribe({
      group: 'notifications',
      topics: ['notifications.requests'],
      types: new Set(['NotifyRequested']),
      read: (_type, json) => json,
      handleBatch: () => new Promise(() => undefined),
    })
    const message = notify({ url: sink.url })
    await parts.bus.publish([message])
    const again = await parts.restart()
    const { reports } = await openTestWorld({}, again)
    await count(1, () => reports.length, 'the report')
    expect(sink.received.map(({ body }) => body.toString())).toEqual([message.id])
  })

  test('After a crash parked notifications are sent again from their stored bytes', async () => {
    let isWell = false
    const sink = await sinkThat(() => (isWell ? 200 : 503))
    // An attempt in progress at the crash is retried once it would have timed out.
    const first = await openWorld({ CALLBACK_TIMEOUT_MS: 1_000 })
    const messages = Array.from({ length: 20 }, () => notify({ url: sink.url }))
    await first.publish(...messages)
    await eventually(async () => {
      const metrics = await first.parts.metrics.metrics()
      return metrics.includes('state="PARKED",fsp="bluewallet"} 20') ? true : undefined
    }, 'twenty parked rows')
    const parts = await first.parts.restart()
    isWell = true
    const { reports } = await openTestWorld({}, parts)
    await count(20, () => reports.length, 'all reports')
    const delivered = new Set(sink.received.map(({ body }) => body.toString()))
    expect(delivered).toEqual(new Set(messages.map(({ id }) => id)))
    await first.service.stop().catch(() => undefined)
  })
})
