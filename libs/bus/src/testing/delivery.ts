/**
 * The guarantees of delivery: which messages a group receives, in which order and shape, as tests that
 * every engine passes.
 */
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import type { Message, OutgoingMessage } from '../event-bus.ts'
import { message_bytes_max } from '../message-size.ts'
import {
  asSent,
  announceNext,
  chance,
  committed,
  message,
  numberOf,
  numbers,
  publishNumbers,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'

const countUp = statement(`insert into counters (key, count) values ($1, 1)`)
const countOf = statement(`select count from counters where key = $1`)

export function testsOfDelivery(under: () => BusUnderTest): void {
  test('Every committed event is delivered, each key in order, and no rolled-back one', async () => {
    const { bus, database } = under()
    const { subscription, byKey, seen } = recorder('orders')
    await bus.subscribe(subscription)
    const one = async () => {
      for (let at = 0; at < 25; at++) {
        const fails = chance(10) < 3
        const options = { topic: 'orders', key: `k${chance(8)}`, linger_ms: chance(4), fails }
        await announceNext(under(), database, options).catch((error: unknown) => {
          if (!fails) throw error
        })
      }
    }
    await Promise.all(numbers(30).map(one))
    const all = await committed(database)
    const count = Object.values(all).flat().length
    await eventually(() => seen.length >= count, 'every event')
    expect(byKey()).toEqual(all)
  })

  test('Messages published in one call or by many callers at once all arrive, each call in order', async () => {
    const { bus } = under()
    const { subscription, seen, byKey } = recorder('orders')
    await bus.subscribe(subscription)
    const call = (k: number) =>
      bus.publish(numbers(1 + (k % 7)).map((n) => message('orders', `k${k}`, n)))
    await Promise.all(numbers(200).map(call))
    const count = numbers(200).reduce((sum, k) => sum + 1 + (k % 7), 0)
    await eventually(() => seen.length >= count, 'every message')
    for (const order of Object.values(byKey())) expect(order).toEqual(numbers(order.length))
    expect(seen.length).toBe(count)
  })

  test('Each of two groups receives every message', async () => {
    const first = recorder('orders', { group: 'first' })
    const second = recorder('orders', { group: 'second' })
    await under().bus.subscribe(first.subscription)
    await under().bus.subscribe(second.subscription)
    await publishNumbers(under(), 'orders', 100)
    await eventually(() => first.seen.length + second.seen.length >= 200, 'every message twice')
    expect(first.byKey()).toEqual(second.byKey())
  })

  test('A group reads only its topics and types, and finishes other types unread', async () => {
    const { bus } = under()
    const read: string[] = []
    const { subscription, seen } = recorder('orders', {
      read: (type, json) => {
        read.push(type)
        return json
      },
    })
    const other = { ...message('orders', 'a', 1), type: 'Other', payload: 'not for us' }
    const messages = [message('orders', 'a', 0), other, message('bills', 'a', 2)]
    await bus.publish([...messages, message('orders', 'a', 3)])
    await bus.subscribe(subscription)
    await bus.publish([...messages, message('orders', 'a', 4)])
    await eventually(() => seen.some((one) => numberOf(one) === 4), 'the last message')
    expect(seen.map(numberOf)).toEqual([0, 3, 0, 4])
    expect(new Set(read)).toEqual(new Set(read.length === 0 ? [] : ['Counted']))
    expect(await bus.deadLetters(10)).toEqual([])
  })

  test('A message is the same from memory and from the log: payload, text and bytes', async () => {
    const { bus, database } = under()
    const body = Buffer.from(Uint8Array.from(numbers(7_000), (n) => n * 7))
    const sent: OutgoingMessage = {
      ...message('orders', 'key with é and \u{1f600}', 1),
      payload: { text: 'é \u0000 \u{1f600} "', amount: '10.0001', list: [1, null, true, {}] },
      headers: {
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'relay-body': body,
        'relay-headers': Buffer.from('{"content-type":"application/é"}'),
        empty: Buffer.alloc(0),
        'empty text': '',
      },
    }
    const before = recorder('orders', { group: 'before' })
    await bus.subscribe(before.subscription)
    await bus.publish([sent])
    await database.transaction((tx) => {
      bus.announce(tx, [{ ...sent, id: 'announced' }])
      return Promise.resolve()
    })
    const after = recorder('orders', { group: 'after' })
    await bus.subscribe(after.subscription)
    await eventually(() => before.seen.length + after.seen.length >= 4, 'both messages twice')
    expect(after.seen.map(asSent)).toEqual(before.seen.map(asSent))
    const { time, ...received } = asSent(after.seen[0] as Message)
    expect(received).toEqual(sent)
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('A message that JSON cannot carry is refused, and messages published with it are not', async () => {
    const { bus } = under()
    const { subscription, seen } = recorder('orders')
    await bus.subscribe(subscription)
    const bad = bus.publish([{ ...message('orders', 'a', 1), payload: 1n }])
    const good = bus.publish([message('orders', 'a', 2)])
    await expect(bad).rejects.toThrow(TypeError)
    await good
    await eventually(() => seen.length > 0, 'the good one')
    expect(seen.map(numberOf)).toEqual([2])
  })

  test('A message larger than any broker takes is refused, and the transaction that announces it is rolled back', async () => {
    const { bus, database } = under()
    const large = (n: number) => ({
      ...message('orders', 'a', n),
      payload: 'x'.repeat(message_bytes_max),
    })
    await expect(bus.publish([large(1)])).rejects.toThrow(/the limit is \d+/)
    const announced = database.transaction(async (tx) => {
      await announceNext({ bus }, database, {
        topic: 'orders',
        key: 'b',
        linger_ms: 0,
        fails: false,
      })
      await tx.query(countUp, ['a'])
      bus.announce(tx, [large(2)])
    })
    await expect(announced).rejects.toThrow(/the limit is \d+/)
    const { subscription, seen } = recorder('orders')
    await bus.subscribe(subscription)
    await eventually(() => seen.length > 0, 'the event of the other transaction')
    expect(seen.map(({ key }) => key)).toEqual(['b'])
    expect(await database.query(countOf, ['a'])).toEqual([])
  })
}
