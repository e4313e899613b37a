import { statement } from '@causeway/postgres'
import { openMetrics } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { Message } from '../event-bus.ts'
import { announceNext, message, numberOf, recorder } from '../testing/bus-under-test.ts'
import { busContract } from '../testing/contract.ts'
import { openEmbeddedUnderTest, type EmbeddedUnderTest } from '../testing/embedded-under-test.ts'
import { openRetention } from './retention.ts'
import { deleteOldest } from './store.ts'

const loggedTopics = statement('select topic from bus.log order by n')

busContract('the embedded engine', openEmbeddedUnderTest)

const never = () => new Promise<void>(() => undefined)

describe('The embedded engine:', () => {
  let under: EmbeddedUnderTest
  beforeEach(async () => {
    under = await openEmbeddedUnderTest({ queued_bytes_max: 1_000_000 })
  })
  afterEach(() => under.stop())

  test('A message is delivered in memory as the object that was published, neither serialized nor read again', async () => {
    const { subscription, seen } = recorder('orders', {
      read: () => {
        throw new Error('messages from memory are not read')
      },
    })
    await under.bus.subscribe(subscription)
    const sent = message('orders', 'a', 1)
    await under.bus.publish([sent])
    await eventually(() => seen.length === 1, 'the message')
    expect(seen[0]?.payload).toBe(sent.payload)
  })

  test('No message behind an open number is delivered, neither from memory nor from the table', async () => {
    const live = recorder('orders', { group: 'live' })
    await under.bus.subscribe(live.subscription)
    const { slow, lock } = await slowCommit(under)
    const options = { topic: 'orders', linger_ms: 0, fails: false }
    await announceNext(under, under.database, { ...options, key: 'quick' })
    const late = recorder('orders', { group: 'late' })
    await under.bus.subscribe(late.subscription)
    await under.bus.publish([message('orders', 'other', 1)])
    expect(under.engine.progress()).toBeGreaterThan(0)
    expect([live.seen, late.seen]).toEqual([[], []])
    await lock.release()
    await slow
    await eventually(() => live.seen.length + late.seen.length === 6, 'all of it')
    expect(live.seen.map(({ key }) => key)).toEqual(['slow', 'quick', 'other'])
    expect(late.seen.map(({ id }) => id)).toEqual(live.seen.map(({ id }) => id))
  })

  test('A message that is delivered for the first time is not marked as a possible duplicate', async () => {
    const { subscription, seen } = recorder('orders')
    await under.bus.subscribe(subscription)
    await under.bus.publish([message('orders', 'a', 1)])
    await eventually(() => seen.length === 1, 'the message')
    expect(seen[0]?.maybeDuplicate).toBe(false)
  })

  test('Messages after a crash, and what their handler publishes again, are marked as possible duplicates', async () => {
    const hung = recorder('orders', { handleBatch: never })
    await under.bus.subscribe(hung.subscription)
    await under.bus.publish([message('orders', 'a', 1)])
    under = await under.restart()
    const bills = recorder('bills', { group: 'billing' })
    await under.bus.subscribe(bills.subscription)
    const orders: Message[] = []
    await under.bus.subscribe({
      ...hung.subscription,
      handleBatch: async (messages) => {
        orders.push(...messages)
        await under.bus.publish(messages.map(({ key }) => message('bills', key, 1)))
      },
    })
    await eventually(() => bills.seen.length === 1, 'the first bill')
    expect([...orders, ...bills.seen].map(({ maybeDuplicate }) => maybeDuplicate)).toEqual([
      true,
      true,
    ])
    await eventually(async () => {
      await under.bus.publish([message('bills', 'b', bills.seen.length)])
      return bills.seen.at(-1)?.maybeDuplicate === false
    }, 'one that is certainly delivered for the first time')
  })

  test('Messages whose handler failed, and what it publishes again, are marked as possible duplicates', async () => {
    const bills = recorder('bills', { group: 'billing' })
    await under.bus.subscribe(bills.subscription)
    const orders: Message[] = []
    await under.bus.subscribe({
      ...recorder('orders').subscription,
      handleBatch: async (messages, { publishDerived }) => {
        orders.push(...messages)
        await publishDerived(messages.map(({ key }) => message('bills', key, 1)))
        if (orders.length === 1) throw new Error('fails once')
      },
    })
    await under.bus.publish([message('orders', 'a', 1)])
    await eventually(() => bills.seen.length === 2, 'the repeated bill')
    expect(orders.map(({ maybeDuplicate }) => maybeDuplicate)).toEqual([false, true])
    expect(bills.seen.map(({ maybeDuplicate }) => maybeDuplicate)).toEqual([false, true])
  })

  test('The low watermark does not pass a COMMIT in progress', async () => {
    const { subscription, seen } = recorder('orders')
    const subscribed = await under.bus.subscribe(subscription)
    const late = await under.bus.subscribe({ ...subscription, group: 'late', topics: ['bills'] })
    const { slow, lock } = await slowCommit(under)
    const since = Date.now()
    await under.bus.publish([message('orders', 'other', 1)])
    await eventually(() => Date.now() > since + 20, 'some time')
    for (const each of [subscribed, late]) {
      expect((await each.lowWatermark()).getTime()).toBeLessThanOrEqual(since)
    }
    await lock.release()
    await slow
    await eventually(() => seen.length === 2, 'both')
    expect(Date.parse(seen[0]?.time ?? '')).toBeLessThanOrEqual(since)
    const isPast = async () => (await subscribed.lowWatermark()).getTime() > since
    await eventually(isPast, 'to be processed')
  })

  test('The low watermark does not pass messages that were dropped because the queue is full', async () => {
    const first = await openEmbeddedUnderTest({ queued_max: 4 })
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => (open = resolve))
    const { subscription, seen } = recorder('orders', { batch_max: 1 })
    let until = 0
    let tooLate = 0
    const subscribed = await first.bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        await opened
        until = Math.max(until, (await subscribed.lowWatermark()).getTime())
        tooLate += messages.filter(({ time }) => Date.parse(time) < until).length
        seen.push(...messages)
      },
    })
    for (let n = 0; n < 40; n++) await first.bus.publish([message('orders', 'a', n)])
    open()
    await eventually(() => seen.length === 40, 'every message')
    expect(tooLate).toBe(0)
    await first.stop()
  })

  test('Derived events are written to the log only while a reader of them is away', async () => {
    const bills = recorder('bills')
    const reading = await under.bus.subscribe(bills.subscription)
    await under.bus.subscribe({
      ...recorder('orders', { group: 'billing' }).subscription,
      handleBatch: (orders, { publishDerived }) =>
        publishDerived(orders.map((order) => message('bills', order.key, numberOf(order)))),
    })
    const written = async () =>
      (await under.busDatabase.query<{ topic: string }>(loggedTopics, [])).map(({ topic }) => topic)
    await under.bus.publish([message('orders', 'a', 1)])
    await eventually(() => bills.seen.length === 1, 'the first bill')
    expect(await written()).toEqual(['orders'])
    await reading.stop()
    await under.bus.publish([message('orders', 'a', 2)])
    await eventually(async () => (await written()).includes('bills'), 'the second bill')
  })

  test('Later messages of a key are delivered while an earlier batch with that key has background work', async () => {
    let done = (): void => undefined
    const left = new Promise<void>((resolve) => (done = resolve))
    const seen: number[] = []
    await under.bus.subscribe(
      recorder('orders', {
        batches_in_flight_max: 2,
        handleBatch: (messages, { until }) => {
          seen.push(...messages.map(numberOf))
          until(left)
          return Promise.resolve()
        },
      }).subscription,
    )
    await under.bus.publish([message('orders', 'a', 1)])
    await eventually(() => seen.length === 1, 'the first')
    await under.bus.publish([message('orders', 'a', 2)])
    await eventually(() => seen.length === 2, 'the second')
    done()
  })

  test('Numbers continue above every number that was used, even when no row is left', async () => {
    const { subscription, seen } = recorder('orders')
    const subscribed = await under.bus.subscribe(subscription)
    await under.bus.publish([message('orders', 'a', 1), message('orders', 'a', 2)])
    await eventually(() => seen.length === 2, 'the messages')
    await subscribed.stop()
    await under.sql('delete from bus.log')
    under = await under.restart()
    const after = recorder('orders')
    await under.bus.subscribe(after.subscription)
    await under.bus.publish([message('orders', 'a', 3)])
    await eventually(() => after.seen.length === 1, 'the new message')
    expect(await under.sql('select n from bus.log')).toEqual([{ n: '3' }])
  })

  test('The offset of a group is stored while it works, also past messages of other topics', async () => {
    const { subscription, seen } = recorder('orders')
    await under.bus.subscribe(subscription)
    await under.bus.publish([1, 2, 3].map((n) => message('orders', 'a', n)))
    await eventually(() => seen.length === 3, 'the messages')
    const offset = async (n: string) => {
      const [row] = await under.sql<{ n: string }>(`select n from bus.offsets`)
      return row?.n === n
    }
    await eventually(() => offset('3'), 'the offset')
    await under.bus.publish([message('bills', 'a', 4)])
    await eventually(() => offset('4'), 'the offset past the other message')
  })

  test('Messages that are old and finished by every group are deleted, and no others', async () => {
    const { subscription, seen } = recorder('orders')
    await under.bus.subscribe(subscription)
    const stuck = recorder('bills', {
      group: 'stuck',
      handleBatch: (messages) => (messages.some((one) => numberOf(one) === 6) ? never() : none()),
    })
    await under.bus.subscribe({ ...stuck.subscription, batch_max: 1 })
    for (const n of [1, 2, 3, 4, 5]) await under.bus.publish([message('orders', 'a', n)])
    for (const n of [6, 7]) await under.bus.publish([message('bills', 'a', n)])
    await eventually(() => seen.length === 5, 'the messages')
    await eventually(async () => {
      const rows = await under.sql<{ n: string }>('select min(n) as n from bus.offsets')
      return rows[0]?.n === '5'
    }, 'the offsets')
    await under.sql(`update bus.log set at = at - interval '25 hours' where n <> 3`)
    expect(await deleteOldest(under.busDatabase, 24, 2)).toBe(2)
    expect(await deleteOldest(under.busDatabase, 24, 100)).toBe(2)
    expect(await deleteOldest(under.busDatabase, 24, 100)).toBe(0)
    expect(await under.sql('select n from bus.log order by n')).toEqual(
      ['3', '6', '7'].map((n) => ({ n })),
    )
  })

  test('A group that holds back old messages is named once an hour, until it has finished them', async () => {
    const { subscription, seen } = recorder('orders', { group: 'gone' })
    const gone = await under.bus.subscribe(subscription)
    const alive = recorder('orders', { group: 'alive' })
    await under.bus.subscribe(alive.subscription)
    await under.bus.publish([message('orders', 'a', 1)])
    await eventually(() => seen.length === 1, 'the first message')
    await gone.stop()
    await under.bus.publish([message('orders', 'a', 2)])
    const offsetOf = async (group: string) => {
      const rows = await under.sql<{ n: string }>(
        `select n from bus.offsets where group_name = '${group}'`,
      )
      return rows[0]?.n
    }
    await eventually(async () => (await offsetOf('alive')) === '2', 'the other group')
    await under.sql(`update bus.log set at = at - interval '25 hours'`)

    const lines: string[] = []
    const metrics = openMetrics({ ofProcess: false })
    const retention = openRetention({
      db: under.busDatabase,
      log: pino({ base: null }, { write: (line) => lines.push(line) }),
      metrics,
      retention_h: 24,
      stopping: new AbortController().signal,
    })
    const held = async () => {
      const metric = await metrics.getSingleMetric('bus_held_back_seconds')?.get()
      return metric?.values.map(({ labels, value }) => [labels['group'], Math.floor(value / 60)])
    }
    await retention.sweep()
    await retention.sweep()
    expect(await under.sql('select n from bus.log')).toEqual([{ n: '2' }])
    expect(await held()).toEqual([['gone', 60]])
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { group: 'gone', topics: ['orders'], held_h: 1 },
    ])

    await under.bus.subscribe(subscription)
    await eventually(async () => (await offsetOf('gone')) === '2', 'the group that was away')
    await retention.sweep()
    expect(await under.sql('select n from bus.log')).toEqual([])
    expect(await held()).toEqual([])
  })

  test('The bytes that wait for a slow group stay bounded, and no message is lost', async () => {
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => (open = resolve))
    const { subscription, seen } = recorder('orders', { batch_max: 2 })
    await under.bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        await opened
        seen.push(...messages)
      },
    })
    const body = Buffer.alloc(150_000, 'x')
    const headers = { 'relay-body': body }
    for (let n = 0; n < 30; n++) {
      await under.bus.publish([{ ...message('orders', 'a', n), headers }])
    }
    const metric = await under.metrics.getSingleMetric('bus_unfinished')?.get()
    expect(metric?.values[0]?.value).toBe(7)
    open()
    await eventually(() => seen.length === 30, 'every message')
    expect(seen.map(numberOf)).toEqual(Array.from({ length: 30 }, (_, n) => n))
    expect(seen.every((one) => body.equals(one.headers['relay-body'] as Buffer))).toBe(true)
  })

  test('A second reader of a topic in a group is refused until the first has left', async () => {
    const { subscription } = recorder('orders')
    const first = await under.bus.subscribe(subscription)
    await expect(under.bus.subscribe(subscription)).rejects.toThrow(
      'the group recorder reads the topic orders already',
    )
    await first.stop()
    const second = await under.bus.subscribe(subscription)
    await second.stop()
  })

  test('The time without progress of a group with work is reported', async () => {
    const { subscription } = recorder('orders')
    await under.bus.subscribe({ ...subscription, handleBatch: never })
    expect(under.engine.progress()).toBeUndefined()
    await under.bus.publish([message('orders', 'a', 1)])
    await eventually(() => (under.engine.progress() ?? 0) > 50, 'the standstill')
    const metric = await under.metrics.getSingleMetric('bus_lag_seconds')?.get()
    expect(metric?.values[0]?.value).toBeGreaterThan(0.05)
  })

  test('A stop waits for the work in flight and stores all of it as finished', async () => {
    const { subscription, seen } = recorder('orders', { batch_max: 10 })
    await under.bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        await under.sql('select pg_sleep(0.02)')
        seen.push(...messages)
      },
    })
    await under.bus.publish(Array.from({ length: 50 }, (_, n) => message('orders', 'a', n)))
    await eventually(() => seen.length > 0, 'the first batch')
    await under.engine.stop()
    expect(await under.sql('select n from bus.offsets')).toEqual([{ n: String(seen.length) }])
    expect(seen.length).toBeLessThan(50)
    const refused = under.bus.publish([message('orders', 'a', 50)])
    await expect(refused).rejects.toThrow('pool')
  })

  test('A new topic of an existing group is read from its beginning, and its other topics are not read again', async () => {
    const before = recorder('orders')
    await under.bus.publish([message('bills', 'a', 1), message('orders', 'a', 2)])
    const subscribed = await under.bus.subscribe(before.subscription)
    await eventually(() => before.seen.length === 1, 'the first message')
    await subscribed.stop()
    const after = recorder('orders', { topics: ['orders', 'bills'] })
    await under.bus.subscribe(after.subscription)
    await under.bus.publish([message('orders', 'a', 3)])
    await eventually(() => after.seen.some((one) => numberOf(one) === 3), 'the last message')
    expect(after.seen.map(numberOf)).toEqual([1, 3])
  })
})

/** A transaction whose COMMIT waits until the lock is released. */
async function slowCommit(under: EmbeddedUnderTest) {
  await under.sql(`
    create function shop.wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(7); return null; end $$;
    create constraint trigger wait after insert on shop.announced deferrable initially deferred
      for each row when (new.key = 'slow') execute function shop.wait()`)
  const lock = await under.hold('select pg_advisory_xact_lock(7)')
  const options = { topic: 'orders', key: 'slow', linger_ms: 0, fails: false }
  const slow = announceNext(under, under.database, options)
  await eventually(async () => {
    const rows = await under.sql(`select from pg_locks where locktype = 'advisory' and not granted`)
    return rows.length === 1
  }, 'the slow COMMIT')
  return { slow, lock }
}

function none(): Promise<void> {
  return Promise.resolve()
}
