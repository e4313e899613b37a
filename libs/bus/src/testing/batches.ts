/**
 * The guarantees of batches: how a group's messages are divided, as tests that every engine passes.
 */
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import type { Message } from '../event-bus.ts'
import {
  chance,
  gate,
  message,
  numbers,
  publishNumbers,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'

export function testsOfBatches(under: () => BusUnderTest): void {
  test('Batches respect their bound and grow with the queue', async () => {
    const { bus } = under()
    const sizes: number[] = []
    const first = gate()
    const { subscription, seen, byKey } = recorder('orders', { batch_max: 40 })
    await bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        sizes.push(messages.length)
        if (sizes.length === 1) await first.opened
        seen.push(...messages)
      },
    })
    await bus.publish([message('orders', 'k0', 0)])
    await eventually(() => sizes.length === 1, 'the first batch')
    await bus.publish(numbers(100, 1).map((n) => message('orders', 'k0', n)))
    first.open()
    await eventually(() => seen.length === 101, 'every message')
    expect(sizes).toEqual([1, 40, 40, 20])
    expect(byKey()).toEqual({ k0: numbers(101) })
  })

  test('Batches in flight never hold the same key and never exceed their number', async () => {
    const { bus } = under()
    const inFlight = new Map<string, number>()
    let batches = 0
    let most = 0
    const { subscription, seen, byKey } = recorder('orders', {
      batch_max: 3,
      batches_in_flight_max: 6,
    })
    const handleBatch = async (messages: readonly Message[]) => {
      most = Math.max(most, ++batches)
      const keys = new Set(messages.map(({ key }) => key))
      for (const key of keys) {
        if (inFlight.has(key)) throw new Error(`${key} is in flight twice`)
        inFlight.set(key, 1)
      }
      await under().database.query(statement('select pg_sleep(0.001)'), [])
      for (const key of keys) inFlight.delete(key)
      seen.push(...messages)
      batches--
    }
    await bus.subscribe({ ...subscription, handleBatch })
    const messages = numbers(600).map((n) => message('orders', `k${chance(12)}`, n))
    await Promise.all(messages.map((one) => bus.publish([one])))
    await eventually(() => seen.length >= 600, 'every message')
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(6)
    for (const order of Object.values(byKey())) {
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }
    expect(await bus.deadLetters(10)).toEqual([])
  })

  test('A subscription that gives way starts when others are done, and yields to them between its pieces', async () => {
    const { bus } = under()
    const [billed, piece] = [gate(), gate()]
    const log: string[] = []
    await bus.subscribe({
      ...recorder('bills', { group: 'billing' }).subscription,
      handleBatch: async () => {
        log.push('bill')
        await billed.opened
        log.push('billed')
      },
    })
    await bus.subscribe({
      ...recorder('orders').subscription,
      givesWay: true,
      handleBatch: async (_messages, { giveWay }) => {
        log.push('first piece')
        await piece.opened
        await giveWay()
        log.push('second piece')
      },
    })
    await bus.publish([message('bills', 'a', 1)])
    await eventually(() => log.length === 1, 'the bill')
    await bus.publish([message('orders', 'a', 1)])
    await under().database.query(statement('select pg_sleep(0.05)'), [])
    billed.open()
    await eventually(() => log.length === 3, 'the first piece')
    await bus.publish([message('bills', 'a', 2)])
    await eventually(() => log.length === 5, 'the next bill')
    piece.open()
    await eventually(() => log.length === 6, 'the second piece')
    expect(log).toEqual(['bill', 'billed', 'first piece', 'bill', 'billed', 'second piece'])
  })

  test('A slow group receives everything in order, and its queue stays bounded', async () => {
    const { bus, metrics } = under()
    const slow = gate()
    const { subscription, seen, byKey } = recorder('orders', { group: 'slow' })
    const fast = recorder('orders', { group: 'fast' })
    await bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        await slow.opened
        seen.push(...messages)
      },
    })
    await bus.subscribe(fast.subscription)
    await publishNumbers(under(), 'orders', 25_000)
    await eventually(() => fast.seen.length === 25_000, 'the fast group')
    const metric = await metrics.getSingleMetric('bus_unfinished')?.get()
    const waiting = metric?.values.find(({ labels }) => labels['group'] === 'slow')?.value ?? 0
    expect(waiting).toBeGreaterThan(1_000)
    expect(waiting).toBeLessThanOrEqual(10_000)
    slow.open()
    await eventually(() => seen.length >= 25_000, 'the slow group')
    expect(byKey()).toEqual(fast.byKey())
  })

  test('A hundred thousand events are delivered, each key in order', async () => {
    const { bus } = under()
    const { subscription, seen, byKey } = recorder('orders', { batch_max: 500 })
    await bus.subscribe(subscription)
    await Promise.all(
      numbers(10).map(async (k) => {
        for (let at = 0; at < 10_000; at += 100) {
          await bus.publish(numbers(100, at).map((n) => message('orders', `k${k}`, n)))
        }
      }),
    )
    await eventually(() => seen.length >= 100_000, 'every event', 30_000)
    for (const order of Object.values(byKey())) expect(order).toEqual(numbers(10_000))
  }, 60_000)
}
