/** The guarantees of derived events and background work, as tests that every engine passes. */
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import type { Message, Subscription } from '../event-bus.ts'
import { message_bytes_max } from '../message-size.ts'
import { listenerTo } from './listener.ts'
import { gate, message, numberOf, numbers, recorder, type BusUnderTest } from './bus-under-test.ts'

const sleepABit = statement('select pg_sleep(0.05)')

/** Publishes a bill for each order, under an id derived from the order's. */
function billing(more: Partial<Subscription> = {}): Subscription {
  return {
    ...recorder('orders', { group: 'billing' }).subscription,
    handleBatch: (orders, { publishDerived }) => publishDerived(orders.map(billOf)),
    ...more,
  }
}

function billOf(order: Message) {
  return { ...message('bills', order.key, numberOf(order)), id: `bill of ${order.id}` }
}

export function testsOfDerivedEvents(
  under: () => BusUnderTest,
  restart: () => Promise<void>,
): void {
  test('Derived events arrive once at every reader, each key in order, even if one falls behind', async () => {
    const { bus } = under()
    const slow = gate()
    const prompt = recorder('bills', { group: 'prompt' })
    const tardy = recorder('bills', { group: 'tardy' })
    await bus.subscribe(prompt.subscription)
    await bus.subscribe({
      ...tardy.subscription,
      handleBatch: async (messages, batch) => {
        await slow.opened
        await tardy.subscription.handleBatch(messages, batch)
      },
    })
    await bus.subscribe(billing({ batches_in_flight_max: 3, batch_max: 50 }))
    const count = 15_000
    for (let at = 0; at < count; at += 500) {
      await bus.publish(numbers(500, at).map((n) => message('orders', `k${n % 7}`, n)))
    }
    await eventually(() => prompt.seen.length >= count, 'every bill', 30_000)
    slow.open()
    await eventually(() => tardy.seen.length >= count, 'every bill at the other', 30_000)
    expect(new Set(prompt.seen.map(({ id }) => id)).size).toBe(count)
    for (const [key, order] of Object.entries(prompt.byKey())) {
      expect(order).toEqual(numbers(count).filter((n) => `k${n % 7}` === key))
    }
    expect(tardy.byKey()).toEqual(prompt.byKey())
    expect([prompt.seen.length, tardy.seen.length]).toEqual([count, count])
  }, 90_000)

  test('Broadcast subscribers receive derived events even if no group reads them', async () => {
    const { received, listening } = listenerTo(['bills'])
    await under().bus.subscribeBroadcast(listening)
    await under().bus.subscribe(billing())
    await under().bus.publish(numbers(3).map((n) => message('orders', 'a', n)))
    await eventually(() => received.length === 3, 'the bills')
    expect(received.map(numberOf)).toEqual([0, 1, 2])
  })

  test('A derived event is not lost by a crash before its reader has finished it', async () => {
    const begun: string[] = []
    const hangs = recorder('bills', {
      handleBatch: (messages) => {
        begun.push(...messages.map(({ id }) => id))
        return gate().opened
      },
    })
    await under().bus.subscribe(hangs.subscription)
    const billed = await under().bus.subscribe(billing())
    await under().bus.publish([message('orders', 'a', 1), message('orders', 'b', 2)])
    await eventually(() => begun[0], 'a bill')
    // Stores its offset, which is not past an order whose bill is unfinished.
    await billed.stop()
    await restart()
    const after = recorder('bills')
    await under().bus.subscribe(after.subscription)
    await under().bus.subscribe(billing())
    const ids = () => new Set(after.seen.map(({ id }) => id))
    await eventually(() => ids().size === 2, 'the bills again')
    expect(ids()).toEqual(new Set(['bill of orders/a/1', 'bill of orders/b/2']))
  })

  test('A group that is away receives derived events when it subscribes again', async () => {
    const { bus } = under()
    const early = recorder('bills')
    const away = await bus.subscribe(early.subscription)
    await bus.subscribe(billing())
    await bus.publish([message('orders', 'a', 1)])
    await eventually(() => early.seen.length === 1, 'the first bill')
    await away.stop()
    await bus.publish([message('orders', 'a', 2)])
    const here = recorder('orders', { group: 'witness' })
    await bus.subscribe(here.subscription)
    await eventually(() => here.seen.length === 2, 'the second order')
    const back = recorder('bills')
    await bus.subscribe(back.subscription)
    await eventually(() => back.seen.length === 1, 'the second bill')
    await bus.publish([message('orders', 'a', 3)])
    await eventually(() => back.seen.length === 2, 'the third bill')
    expect([early.seen, back.seen].map((seen) => seen.map(numberOf))).toEqual([[1], [2, 3]])
  })

  test('A message that was finished with all derived events is not delivered again', async () => {
    const first = recorder('bills')
    const reading = await under().bus.subscribe(first.subscription)
    const billed = await under().bus.subscribe(billing())
    await under().bus.publish(numbers(20).map((n) => message('orders', 'a', n)))
    await eventually(() => first.seen.length === 20, 'the bills')
    await billed.stop()
    await reading.stop()
    await restart()
    const after = recorder('bills')
    await under().bus.subscribe(after.subscription)
    await under().bus.subscribe(billing())
    await under().bus.publish([message('orders', 'a', 20)])
    await eventually(() => after.seen.some((bill) => numberOf(bill) === 20), 'the last bill')
    expect(after.seen.map(numberOf)).toEqual([20])
  })

  test('The low watermark does not pass an unfinished derived event', async () => {
    const { bus } = under()
    const held = gate()
    const begun: Message[] = []
    const reading = await bus.subscribe(
      recorder('bills', {
        handleBatch: (messages) => {
          begun.push(...messages)
          return held.opened
        },
      }).subscription,
    )
    const billed = await bus.subscribe(billing())
    await bus.publish([message('orders', 'a', 1)])
    const bill = await eventually(() => begun[0], 'the bill')
    expect((await reading.lowWatermark()).getTime()).toBeLessThanOrEqual(Date.parse(bill.time))
    held.open()
    const isOver = async (subscribed: typeof reading) =>
      (await subscribed.lowWatermark()).getTime() > Date.parse(bill.time)
    await eventually(() => isOver(reading), 'the end of the bill')
    await eventually(() => isOver(billed), 'the end of the order')
  })

  test('A batch with background work is delivered again after a crash, and a stop waits for it', async () => {
    const left = gate()
    const begun: Message[] = []
    const subscribed = await under().bus.subscribe(
      recorder('orders', {
        handleBatch: (messages, { until }) => {
          begun.push(...messages)
          until(left.opened)
          return Promise.resolve()
        },
      }).subscription,
    )
    await under().bus.publish([message('orders', 'a', 1)])
    await eventually(() => begun[0], 'the order')
    const first = begun[0] as Message
    expect((await subscribed.lowWatermark()).getTime()).toBeLessThanOrEqual(Date.parse(first.time))
    await restart()
    const again: Message[] = []
    const done: string[] = []
    const second = await under().bus.subscribe(
      recorder('orders', {
        handleBatch: (messages, { until }) => {
          again.push(...messages)
          until(
            under()
              .database.query(sleepABit, [])
              .then(() => void done.push('left')),
          )
          return Promise.resolve()
        },
      }).subscription,
    )
    await eventually(() => again[0], 'the order again')
    await second.stop()
    expect(done).toEqual(['left'])
    await restart()
    const after = recorder('orders')
    await under().bus.subscribe(after.subscription)
    await under().bus.publish([message('orders', 'a', 2)])
    await eventually(() => after.seen.some((one) => numberOf(one) === 2), 'the next order')
    expect(after.seen.map(numberOf)).toEqual([2])
  })

  test('Later messages of the same key do not wait for background work', async () => {
    const left = gate()
    const seen: Message[] = []
    const subscribed = await under().bus.subscribe(
      recorder('orders', {
        handleBatch: (messages, { until }) => {
          seen.push(...messages)
          until(left.opened)
          return Promise.resolve()
        },
      }).subscription,
    )
    await under().bus.publish([message('orders', 'a', 1)])
    await eventually(() => seen[0], 'the first order')
    await under().bus.publish([message('orders', 'a', 2)])
    await eventually(() => seen[1], 'the second order')
    left.open()
    await subscribed.stop()
    expect(seen.map(numberOf)).toEqual([1, 2])
  })

  test('If background work fails, its message becomes a dead letter', async () => {
    const seen: Message[] = []
    await under().bus.subscribe(
      recorder('orders', {
        handleBatch: (messages, { until }) => {
          seen.push(...messages)
          until(Promise.reject(new Error('out of ink')))
          return Promise.resolve()
        },
      }).subscription,
    )
    await under().bus.publish([message('orders', 'a', 1)])
    const stored = await eventually(
      async () => (await under().bus.deadLetters(1))[0],
      'the dead letter',
    )
    expect(stored).toMatchObject({ id: 'orders/a/1', reason: 'Error: out of ink' })
  })

  test('A message that cannot be written becomes a dead letter without its payload', async () => {
    const refuses = recorder('bills', { handleBatch: () => Promise.reject(new Error('no')) })
    await under().bus.subscribe(refuses.subscription)
    await under().bus.subscribe(
      billing({
        handleBatch: (orders, { publishDerived }) =>
          publishDerived(orders.map((order) => ({ ...billOf(order), payload: 1n }))),
      }),
    )
    await under().bus.publish([message('orders', 'a', 1)])
    await eventually(async () => (await under().bus.deadLetters(1))[0], 'the dead letter')
  })

  test('A message whose derived event is larger than any broker takes becomes a dead letter', async () => {
    const { subscription, seen } = recorder('bills')
    await under().bus.subscribe(subscription)
    const headers = { 'relay-body': Buffer.alloc(message_bytes_max + 1) }
    await under().bus.subscribe(
      billing({
        handleBatch: (orders, { publishDerived }) =>
          publishDerived(orders.map((order) => ({ ...billOf(order), headers }))),
      }),
    )
    await under().bus.publish([message('orders', 'a', 1)])
    const [stored] = await eventually(async () => {
      const letters = await under().bus.deadLetters(1)
      return letters.length > 0 ? letters : undefined
    }, 'the dead letter')
    expect(stored).toMatchObject({ id: 'orders/a/1', group: 'billing' })
    expect(stored?.reason).toMatch(/the limit is \d+/)
    expect(seen).toEqual([])
  })

  test('Events derived from a replayed dead letter are not lost by a crash', async () => {
    let works = false
    const fails = billing({
      handleBatch: (orders, { publishDerived }) =>
        works ? publishDerived(orders.map(billOf)) : Promise.reject(new Error('out of ink')),
    })
    const begun: Message[] = []
    const hangs = recorder('bills', {
      handleBatch: (messages) => {
        begun.push(...messages)
        return gate().opened
      },
    })
    await under().bus.subscribe(hangs.subscription)
    await under().bus.subscribe(fails)
    await under().bus.publish([message('orders', 'a', 1)])
    const stored = await eventually(
      async () => (await under().bus.deadLetters(1))[0],
      'the dead letter',
    )
    works = true
    await under().bus.replay('billing', stored.id)
    await eventually(() => begun[0], 'the bill')
    await eventually(
      async () => ((await under().bus.deadLetters(1)).length === 0 ? true : undefined),
      'the end of the dead letter',
    )
    await restart()
    const after = recorder('bills')
    await under().bus.subscribe(after.subscription)
    await eventually(() => after.seen[0], 'the bill again')
  })
}
