/** The promises of the event bus, as tests that every engine passes. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { statement } from '../../postgres/statement.ts'
import { eventually } from '../../testing/eventually.ts'
import type { AnnouncedMessage, Message, OutgoingMessage } from '../event-bus.ts'
import {
  announceNext,
  committed,
  gate,
  message,
  numberOf,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'
import { whatIsHeard } from './listening.ts'
import { whatFollows } from './what-follows.ts'
import { whatIsWorkedOff } from './worked-off.ts'

const endSelf = statement(`select pg_terminate_backend(pg_backend_pid())`)
const noteDone = statement(
  `insert into done as d (id) select unnest($1::text[]) on conflict (id) do update set times = d.times + 1`,
)

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at)
const chance = (below: number) => Math.floor(Math.random() * below)

async function publishNumbers(under: BusUnderTest, topic: string, count: number, keys = 5) {
  const messages = numbers(count).map((n) => message(topic, `k${n % keys}`, n))
  for (let at = 0; at < count; at += 500) await under.bus.publish(messages.slice(at, at + 500))
}

export function busContract(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`${name} keeps the contract of the event bus:`, () => {
    let under: BusUnderTest
    beforeEach(async () => {
      under = await open()
    })
    afterEach(() => under.stop())
    const current = () => under
    const restart = async () => {
      under = await under.restart()
    }
    whatIsDelivered(current)
    howWorkIsCut(current)
    whatSurvives(current, restart)
    whatIsGivenUp(current, restart)
    whatIsWorkedOff(current, restart)
    whatIsHeard(current, restart)
    whatFollows(current, restart)
  })
}

function whatIsDelivered(under: () => BusUnderTest): void {
  test('every committed event is delivered, each key in order, none of the rolled back', async () => {
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

  test('messages published together or by many at once all arrive, each call in order', async () => {
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

  test('each of two groups sees every message', async () => {
    const first = recorder('orders', { group: 'first' })
    const second = recorder('orders', { group: 'second' })
    await under().bus.subscribe(first.subscription)
    await under().bus.subscribe(second.subscription)
    await publishNumbers(under(), 'orders', 100)
    await eventually(() => first.seen.length + second.seen.length >= 200, 'every message twice')
    expect(first.byKey()).toEqual(second.byKey())
  })

  test('a group reads its topics and types alone, and finishes other types unread', async () => {
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

  test('a message is the same by whatever way it comes: payload, text, and bytes', async () => {
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

  test('a message that JSON cannot carry is refused, and its neighbours are not', async () => {
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
}

/** What two readers of a message see alike. */
function asSent(message: Message): AnnouncedMessage {
  return Object.fromEntries(
    Object.entries(message).filter(([name]) => name !== 'again'),
  ) as unknown as AnnouncedMessage
}

function howWorkIsCut(under: () => BusUnderTest): void {
  test('batches keep their bound and grow with what has queued', async () => {
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

  test('batches in flight never hold the same key, and never are more than they may', async () => {
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

  test('a slow group gets everything in order, and what waits for it stays bounded', async () => {
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

  test('a hundred thousand events go through, each key in order', async () => {
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

function whatSurvives(under: () => BusUnderTest, restart: () => Promise<void>): void {
  test('a group that was away goes on where it was; a new one begins with what is kept', async () => {
    const { bus } = under()
    const early = recorder('orders')
    const subscribed = await bus.subscribe(early.subscription)
    await bus.publish([message('orders', 'a', 1)])
    await eventually(() => early.seen.length === 1, 'the first message')
    await subscribed.stop()
    await bus.publish([message('orders', 'a', 2)])
    const late = recorder('orders')
    await bus.subscribe(late.subscription)
    const fresh = recorder('orders', { group: 'fresh' })
    await bus.subscribe(fresh.subscription)
    await bus.publish([message('orders', 'a', 3)])
    await eventually(() => late.seen.length + fresh.seen.length >= 5, 'the others')
    expect(early.seen.map(numberOf)).toEqual([1])
    expect(late.seen.map(numberOf)).toEqual([2, 3])
    expect(fresh.seen.map(numberOf)).toEqual([1, 2, 3])
  })

  test('a stop finishes what is in flight and begins nothing further', async () => {
    const { bus } = under()
    const first = gate()
    const begun: number[] = []
    const { subscription, seen } = recorder('orders', { batch_max: 1 })
    const subscribed = await bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        begun.push(...messages.map(numberOf))
        await first.opened
        seen.push(...messages)
      },
    })
    await bus.publish(numbers(5).map((n) => message('orders', 'a', n)))
    await eventually(() => begun.length === 1, 'the first batch')
    const stopped = subscribed.stop()
    first.open()
    await stopped
    expect([begun, seen.map(numberOf)]).toEqual([[0], [0]])
    const next = recorder('orders')
    await bus.subscribe(next.subscription)
    await eventually(() => next.seen.length === 4, 'the rest')
    expect(next.seen.map(numberOf)).toEqual([1, 2, 3, 4])
  })

  test('after a crash a group gets again what was not stored as finished, in any split', async () => {
    const { database } = under()
    const total = 2_000
    const enough = gate()
    const before = recorder('orders', { batch_max: 7, batches_in_flight_max: 3 })
    await under().bus.subscribe({
      ...before.subscription,
      handleBatch: async (messages) => {
        await database.query(statement('select pg_sleep(0.001)'), [])
        before.seen.push(...messages)
        if (before.seen.length > 1_200) enough.open()
      },
    })
    await publishNumbers(under(), 'orders', total)
    await enough.opened
    await restart()
    const after = recorder('orders', { batch_max: 31 })
    await under().bus.subscribe(after.subscription)
    const ids = () => new Set([...before.seen, ...after.seen].map(({ id }) => id))
    await eventually(() => after.seen.some((one) => numberOf(one) === total - 1), 'the last one')
    await eventually(() => ids().size === total, 'every message at least once')
    for (const [key, order] of Object.entries(after.byKey())) {
      const own = numbers(total).filter((n) => `k${n % 5}` === key)
      expect(order).toEqual(own.slice(own.length - order.length))
    }
  })

  test('crash after crash, what is announced and committed is handled, each key in order', async () => {
    const handled: Record<string, number[]> = {}
    let last = 0
    const subscribe = () =>
      under().bus.subscribe({
        ...recorder('orders').subscription,
        handleBatch: async (messages) => {
          const { database } = under()
          await database.query(statement('select 1'), [])
          for (const one of messages) (handled[one.key] ??= []).push(numberOf(one))
          last += messages.length
        },
      })
    for (let round = 0; round < 4; round++) {
      await subscribe()
      const { database } = under()
      const one = async () => {
        for (let at = 0; at < 20; at++) {
          const options = { topic: 'orders', key: `k${chance(6)}`, linger_ms: 0, fails: false }
          await announceNext(under(), database, options).catch(() => undefined)
        }
      }
      const announcing = Promise.all(numbers(10).map(one))
      const from = last
      await eventually(() => last > from + 20, 'some work')
      await restart()
      await announcing
    }
    await subscribe()
    const all = await committed(under().database)
    const reached = () =>
      Object.entries(all).every(([key, order]) => handled[key]?.at(-1) === order.at(-1))
    await eventually(reached, 'the last of each key')
    for (const [key, order] of Object.entries(all)) {
      // A crash takes the order back by some messages, which then come again in their order.
      const got = handled[key] ?? []
      expect([...new Set(got)]).toEqual(order)
      for (let at = 1; at < got.length; at++) {
        expect(got[at]).toBeLessThanOrEqual((got[at - 1] ?? 0) + 1)
      }
    }
  })

  test('a COMMIT whose answer is lost neither loses nor reorders, whether it was done or not', async () => {
    const cut = await under().openCutDatabase()
    const { subscription, seen, byKey } = recorder('orders')
    await under().bus.subscribe(subscription)
    const fates = ['never arrives', 'arrives late', 'answer lost', 'pass', 'pass', 'pass'] as const
    cut.decide = () => fates[chance(fates.length)] ?? 'pass'
    let failures = 0
    const one = async (worker: number) => {
      for (let at = 0; at < 20; at++) {
        const database = worker % 2 === 0 ? cut.database : under().database
        const options = { topic: 'orders', key: `k${chance(6)}`, linger_ms: 0, fails: false }
        await announceNext(under(), database, options).catch(() => failures++)
        await database
          .transaction((tx) => {
            under().bus.announce(tx, [message('orders', `alone ${worker}`, at)])
            return Promise.resolve()
          })
          .catch(() => failures++)
      }
    }
    await Promise.all(numbers(12).map(one))
    await eventually(() => cut.onTheirWay() === 0, 'the late ones')
    const all = await committed(under().database)
    // What a new group reads is what was committed, so nothing was announced but not handed over.
    const fresh = recorder('orders', { group: 'fresh' })
    await under().bus.subscribe(fresh.subscription)
    const last = message('orders', 'last', 1)
    await under().bus.publish([last])
    const isLast = ({ id }: Message) => id === last.id
    await eventually(() => seen.some(isLast) && fresh.seen.some(isLast), 'the last event')
    expect(byKey()).toEqual(fresh.byKey())
    expect(byKey()).toMatchObject(all)
    expect(failures).toBeGreaterThan(20)
    for (const order of Object.values(byKey())) {
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }
  })

  test('when all connections are cut again and again, what was promised is delivered', async () => {
    const { database, bus } = under()
    const { subscription, seen, byKey } = recorder('orders')
    await bus.subscribe(subscription)
    const promised: string[] = []
    let isOver = false
    const one = async (worker: number) => {
      for (let at = 0; !isOver; at++) {
        const options = { topic: 'orders', key: `k${chance(6)}`, linger_ms: 0, fails: false }
        await announceNext(under(), database, options).catch(() => undefined)
        const published = message('orders', `published ${worker}`, at)
        await bus.publish([published]).then(
          () => promised.push(published.id),
          () => undefined,
        )
      }
    }
    const working = Promise.all(numbers(8).map(one))
    for (let round = 0; round < 5; round++) {
      const from = seen.length
      await eventually(() => seen.length > from + 50, 'some work')
      await under().cutConnections()
    }
    isOver = true
    await working
    const all = await committed(database)
    const ids = () => new Set(seen.map(({ id }) => id))
    const count = Object.values(all).flat().length
    const counted = () => seen.filter(({ key }) => key.startsWith('k')).length
    await eventually(() => counted() >= count, 'every announced event')
    await eventually(() => promised.every((id) => ids().has(id)), 'every published event')
    expect(byKey()).toMatchObject(all)
    expect(await bus.deadLetters(1)).toEqual([])
  })
}

function whatIsGivenUp(under: () => BusUnderTest, restart: () => Promise<void>): void {
  test('one bad message stops nobody: it is a dead letter with its reason', async () => {
    const { bus } = under()
    const { subscription, seen } = recorder('orders')
    await bus.subscribe({
      ...subscription,
      handleBatch: (messages) => {
        if (messages.some((one) => numberOf(one) === 17)) throw new RangeError('17 \0 is too much')
        seen.push(...messages)
        return Promise.resolve()
      },
    })
    await publishNumbers(under(), 'orders', 60)
    await eventually(() => seen.length >= 59, 'the good ones')
    const letters = await eventually(async () => {
      const found = await bus.deadLetters(10)
      return found.length > 0 ? found : undefined
    }, 'the dead letter')
    expect(letters).toEqual([
      {
        id: 'orders/k2/17',
        group: 'recorder',
        topic: 'orders',
        key: 'k2',
        type: 'Counted',
        reason: expect.stringContaining('is too much'),
        time: expect.stringMatching(/Z$/),
      },
    ])
    expect(seen.map(numberOf).toSorted((a, b) => a - b)).toEqual(
      numbers(60).filter((n) => n !== 17),
    )
  })

  test('a dead letter is replayed to its own group, byte for byte, and then gone', async () => {
    const { bus } = under()
    let broken = true
    const { subscription, seen } = recorder('orders')
    await bus.subscribe({
      ...subscription,
      handleBatch: (messages) => {
        if (broken) throw new Error('not yet')
        seen.push(...messages)
        return Promise.resolve()
      },
    })
    const other = recorder('orders', { group: 'other' })
    await bus.subscribe(other.subscription)
    const body = Buffer.from([0, 1, 254, 255])
    await bus.publish([{ ...message('orders', 'a', 1), headers: { 'relay-body': body } }])
    const letterAfter = (time: string) =>
      eventually(
        async () => (await bus.deadLetters(10)).find((letter) => letter.time > time),
        'the dead letter',
      )
    const first = await letterAfter('')
    expect(await bus.replay('other', 'orders/a/1')).toBe(false)
    expect(await bus.replay('recorder', 'orders/a/2')).toBe(false)
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(true)
    await letterAfter(first.time)
    expect(seen).toEqual([])
    broken = false
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(true)
    await eventually(async () => (await bus.deadLetters(10)).length === 0, 'no letter')
    expect(seen.map(asSent)).toEqual(other.seen.map(asSent))
    expect(other.seen.length).toBe(1)
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(false)
  })

  test('a replay that a crash cut short begins again', async () => {
    const { subscription } = recorder('orders')
    const refuse = () => Promise.reject(new Error('never'))
    const subscribed = await under().bus.subscribe({ ...subscription, handleBatch: refuse })
    await under().bus.publish([message('orders', 'a', 1)])
    const isDead = async () => (await under().bus.deadLetters(10)).length === 1
    await eventually(isDead, 'the dead letter')
    await subscribed.stop()
    const begun = gate()
    await under().bus.subscribe({
      ...subscription,
      handleBatch: () => {
        begun.open()
        return new Promise(() => undefined)
      },
    })
    await under().bus.replay('recorder', 'orders/a/1')
    await begun.opened
    await restart()
    const after = recorder('orders')
    await under().bus.subscribe(after.subscription)
    await eventually(() => after.seen.length === 1, 'the replay')
    await eventually(async () => !(await isDead()), 'no letter')
  })

  test('a payload that the group cannot read is a dead letter without asking the handler', async () => {
    const { bus } = under()
    await publishNumbers(under(), 'orders', 3)
    const { subscription, seen } = recorder('orders', {
      read: (_type, json) => {
        if ((json as { n: number }).n === 1) throw new Error('n is wrong')
        return json
      },
    })
    await bus.subscribe(subscription)
    await eventually(() => seen.length === 2, 'the good ones')
    const letters = await bus.deadLetters(10)
    expect(letters.map(({ id, reason }) => [id, reason])).toEqual([
      ['orders/k1/1', 'cannot be read: Error: n is wrong'],
    ])
  })

  test('an outage never makes a dead letter: the batch is repeated until it is over', async () => {
    const { bus, database } = under()
    let outages = 0
    const { subscription, seen } = recorder('orders', { batch_max: 1 })
    await bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        await database.transaction(async (tx) => {
          if (outages < 4) {
            outages++
            await tx.query(endSelf, [])
          }
          const ids = `{${messages.map(({ id }) => id).join()}}`
          await tx.query(noteDone, [ids])
        })
        seen.push(...messages)
      },
    })
    await publishNumbers(under(), 'orders', 20)
    await eventually(() => seen.length >= 20, 'every message')
    expect(outages).toBe(4)
    expect(seen.map(numberOf)).toEqual(numbers(20))
    expect(await bus.deadLetters(10)).toEqual([])
  })
}
