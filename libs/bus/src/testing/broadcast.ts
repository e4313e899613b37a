/** The guarantees of broadcasts, as tests that every engine passes. */
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import {
  announceNext,
  message,
  numberOf,
  numbers,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'
import { listenerTo } from './listener.ts'

export function testsOfBroadcasts(under: () => BusUnderTest, restart: () => Promise<void>): void {
  test('A broadcast subscription receives all later events, announced and published, each key in order', async () => {
    const { bus, database } = under()
    await bus.publish([message('orders', 'before', 1)])
    const { received, missed, listening } = listenerTo(['orders'])
    await bus.subscribeBroadcast(listening)
    const options = { topic: 'orders', key: 'a', linger_ms: 0, fails: false }
    for (const n of numbers(20)) {
      await announceNext(under(), database, options)
      await bus.publish([message('orders', 'b', n), message('bills', 'b', n)])
    }
    await eventually(() => received.length >= 40, 'all of it')
    const of = (key: string) => received.filter((one) => one.key === key).map(numberOf)
    expect(of('a')).toEqual(numbers(20).map((n) => n + 1))
    expect(of('b')).toEqual(numbers(20))
    expect([received.length, missed]).toEqual([40, []])
  })

  test('Every broadcast subscription receives every message, and takes none from the groups', async () => {
    const { bus } = under()
    const group = recorder('orders', { group: 'shop' })
    await bus.subscribe(group.subscription)
    const [first, second] = [listenerTo(['orders']), listenerTo(['bills', 'orders'])]
    await bus.subscribeBroadcast(first.listening)
    const listener = await bus.subscribeBroadcast(second.listening)
    await bus.publish([message('orders', 'a', 1), message('bills', 'a', 2)])
    await eventually(
      () => first.received.length + second.received.length + group.seen.length >= 4,
      'all',
    )
    expect(first.received.map(numberOf)).toEqual([1])
    expect(new Set(second.received.map(numberOf))).toEqual(new Set([1, 2]))
    await listener.stop()
    await bus.publish([message('orders', 'a', 3)])
    await eventually(() => first.received.length === 2 && group.seen.length === 2, 'the others')
    expect(second.received.length).toBe(2)
  })

  test('A broadcast that cannot be read is reported as missed, stops no other and is no dead letter', async () => {
    const { bus } = under()
    const { received, missed, listening } = listenerTo(['orders'], {
      onMessages(messages) {
        if (messages.some((one) => numberOf(one) === 1)) throw new Error('not this one')
        received.push(...messages)
      },
    })
    await bus.subscribeBroadcast(listening)
    await bus.publish([message('orders', 'a', 1)])
    await eventually(() => missed.length > 0, 'the missed one')
    await bus.publish([{ ...message('orders', 'a', 2), type: 'Other' }, message('orders', 'a', 3)])
    await eventually(() => received.length > 0, 'the next one')
    expect(received.map(numberOf)).toEqual([3])
    expect(await bus.deadLetters(10)).toEqual([])
  })

  test('Nothing is retained for a broadcast subscriber that is away: it receives from its next subscription on', async () => {
    const before = listenerTo(['orders'])
    await under().bus.subscribeBroadcast(before.listening)
    await under().bus.publish([message('orders', 'a', 1)])
    await eventually(() => before.received.length === 1, 'the first')
    await restart()
    await under().bus.publish([message('orders', 'a', 2)])
    const after = listenerTo(['orders'])
    await under().bus.subscribeBroadcast(after.listening)
    await under().bus.publish([message('orders', 'a', 3)])
    await eventually(() => after.received.length > 0, 'the third')
    expect(after.received.map(numberOf)).toEqual([3])
  })
}
