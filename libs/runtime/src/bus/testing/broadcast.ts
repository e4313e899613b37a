/** The promises about what a process hears for itself, as tests that every engine passes. */
import { expect, test } from '@jest/globals'
import { eventually } from '../../testing/eventually.ts'
import type { BroadcastSubscription, Message } from '../event-bus.ts'
import {
  announceNext,
  message,
  numberOf,
  numbers,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'

export function listenerTo(topics: readonly string[], more: Partial<BroadcastSubscription> = {}) {
  const heard: Message[] = []
  const missed: number[] = []
  const listening: BroadcastSubscription = {
    group: 'shop',
    topics,
    types: new Set(['Counted']),
    read: (_type, json) => json,
    onMessages: (messages) => heard.push(...messages),
    onMissed: () => missed.push(heard.length),
    ...more,
  }
  return { heard, missed, listening }
}

export function whatIsHeard(under: () => BusUnderTest, restart: () => Promise<void>): void {
  test('whoever listens hears all from then on, announced and published, each key in order', async () => {
    const { bus, database } = under()
    await bus.publish([message('orders', 'before', 1)])
    const { heard, missed, listening } = listenerTo(['orders'])
    await bus.subscribeBroadcast(listening)
    const options = { topic: 'orders', key: 'a', linger_ms: 0, fails: false }
    for (const n of numbers(20)) {
      await announceNext(under(), database, options)
      await bus.publish([message('orders', 'b', n), message('bills', 'b', n)])
    }
    await eventually(() => heard.length >= 40, 'all of it')
    const of = (key: string) => heard.filter((one) => one.key === key).map(numberOf)
    expect(of('a')).toEqual(numbers(20).map((n) => n + 1))
    expect(of('b')).toEqual(numbers(20))
    expect([heard.length, missed]).toEqual([40, []])
  })

  test('listening takes nothing from the groups, and each listener hears by itself', async () => {
    const { bus } = under()
    const group = recorder('orders', { group: 'shop' })
    await bus.subscribe(group.subscription)
    const [first, second] = [listenerTo(['orders']), listenerTo(['bills', 'orders'])]
    await bus.subscribeBroadcast(first.listening)
    const listener = await bus.subscribeBroadcast(second.listening)
    await bus.publish([message('orders', 'a', 1), message('bills', 'a', 2)])
    await eventually(() => first.heard.length + second.heard.length + group.seen.length >= 4, 'all')
    expect(first.heard.map(numberOf)).toEqual([1])
    expect(new Set(second.heard.map(numberOf))).toEqual(new Set([1, 2]))
    await listener.stop()
    await bus.publish([message('orders', 'a', 3)])
    await eventually(() => first.heard.length === 2 && group.seen.length === 2, 'the others')
    expect(second.heard.length).toBe(2)
  })

  test('what cannot be heard is told as missed, stops nobody and is no dead letter', async () => {
    const { bus } = under()
    const { heard, missed, listening } = listenerTo(['orders'], {
      onMessages(messages) {
        if (messages.some((one) => numberOf(one) === 1)) throw new Error('not this one')
        heard.push(...messages)
      },
    })
    await bus.subscribeBroadcast(listening)
    await bus.publish([message('orders', 'a', 1)])
    await eventually(() => missed.length > 0, 'the missed one')
    await bus.publish([{ ...message('orders', 'a', 2), type: 'Other' }, message('orders', 'a', 3)])
    await eventually(() => heard.length > 0, 'the next one')
    expect(heard.map(numberOf)).toEqual([3])
    expect(await bus.deadLetters(10)).toEqual([])
  })

  test('nothing is kept for a listener that is away: it hears from when it listens again', async () => {
    const before = listenerTo(['orders'])
    await under().bus.subscribeBroadcast(before.listening)
    await under().bus.publish([message('orders', 'a', 1)])
    await eventually(() => before.heard.length === 1, 'the first')
    await restart()
    await under().bus.publish([message('orders', 'a', 2)])
    const after = listenerTo(['orders'])
    await under().bus.subscribeBroadcast(after.listening)
    await under().bus.publish([message('orders', 'a', 3)])
    await eventually(() => after.heard.length > 0, 'the third')
    expect(after.heard.map(numberOf)).toEqual([3])
  })
}
