import { setTimeout as wait } from 'node:timers/promises'
import { openLog, isOutage } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { killBroker, startBroker, testBroker } from '../testing/kafka-broker.ts'
import type { Message, OutgoingMessage } from '../event-bus.ts'
import {
  alarmsOf,
  announceNext,
  committed,
  message,
  numberOf,
  recorder,
} from '../testing/bus-under-test.ts'
import { busContract } from '../testing/contract.ts'
import { listenerTo } from '../testing/listener.ts'
import {
  openKafkaUnderTest,
  type KafkaUnderTest,
  type KafkaUnderTestOptions,
} from '../testing/kafka-under-test.ts'
import { openProduceCutter, type ProduceCutter } from '../testing/produce-cutter.ts'

busContract('the Kafka engine', openKafkaUnderTest)

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at)
const chance = (below: number) => Math.floor(Math.random() * below)
const idOf = ({ id }: { readonly id: string }) => id
const spread: KafkaUnderTestOptions = { partitions: 6, publish_ms_max: 60_000 }

/**
 * The last deliveries of each number of a key are in order; earlier ones may be repeats.
 */
function inOrder(order: readonly number[]): boolean {
  const first = [...new Set(order)]
  return first.every((n, at) => at === 0 || (first[at - 1] ?? 0) < n)
}

/** Stopped after each test, even if it failed. */
const opened: KafkaUnderTest[] = []

async function keep(opening: Promise<KafkaUnderTest>): Promise<KafkaUnderTest> {
  const under = await opening
  opened.push(under)
  return under
}

afterEach(async () => {
  for (const under of opened.splice(0)) await under.stop()
})

test('Messages that were deleted before their group had read them raise an alarm', async () => {
  const under = await keep(openKafkaUnderTest())
  const before = recorder('orders')
  const subscribed = await under.bus.subscribe(before.subscription)
  await under.bus.publish(numbers(10).map((n) => message('orders', 'a', n)))
  await eventually(() => before.seen.length === 10, 'the first ones')
  await subscribed.stop()
  expect(await alarmsOf(under, 'DELETED_UNREAD')).toBe(0)
  await under.bus.publish(numbers(10, 10).map((n) => message('orders', 'a', n)))
  await under.deleteBefore('orders', 15)
  const after = recorder('orders')
  await under.bus.subscribe(after.subscription)
  await eventually(() => after.seen.length === 5, 'what is retained')
  await eventually(async () => (await alarmsOf(under, 'DELETED_UNREAD')) === 1, 'the alarm')
  expect(after.seen.map(numberOf)).toEqual(numbers(5, 15))
})

test('Whether the log answers is asked without a consumer group, also while there are dead letters', async () => {
  const under = await keep(openKafkaUnderTest())
  const { subscription } = recorder('orders')
  const handleBatch = () => Promise.reject(new Error('no'))
  await under.bus.subscribe({ ...subscription, handleBatch })
  await under.bus.publish([message('orders', 'a', 1)])
  await eventually(async () => (await under.bus.deadLetters(1)).length === 1, 'the dead letter')
  const before = await under.groups()
  await Promise.all(numbers(20).map(() => under.bus.answers()))
  expect((await under.groups()).filter((group) => !before.includes(group))).toEqual([])
})

describe('on many partitions', () => {
  let under: KafkaUnderTest
  beforeEach(async () => {
    under = await keep(openKafkaUnderTest(spread))
  })

  test('On many partitions a crash loses nothing, and each key stays in order', async () => {
    const before = recorder('orders', { batch_max: 20, batches_in_flight_max: 3 })
    await under.bus.subscribe(before.subscription)
    const messages = numbers(3_000).map((n) => message('orders', `k${n % 40}`, n))
    const publishing = Promise.all(
      numbers(30).map((at) => under.bus.publish(messages.slice(at * 100, at * 100 + 100))),
    )
    await eventually(() => before.seen.length > 500, 'some work')
    await publishing
    under = await keep(under.restart())
    const after = recorder('orders')
    await under.bus.subscribe(after.subscription)
    const ids = () => new Set([...before.seen, ...after.seen].map(idOf))
    await eventually(() => ids().size === 3_000, 'every message')
    for (const one of [before, after]) {
      for (const order of Object.values(one.byKey())) {
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
    }
  })

  test('Members share the work of a group, and one continues what another leaves', async () => {
    const other = await keep(under.openAnother())
    const first = recorder('orders')
    const second = recorder('orders')
    await under.bus.subscribe(first.subscription)
    let sent = 0
    const over = new AbortController()
    const publishing = (async () => {
      for (; !over.signal.aborted; sent += 20) {
        await under.bus.publish(numbers(20, sent).map((n) => message('orders', `k${n % 40}`, n)))
      }
    })()
    await eventually(() => first.seen.length > 100, 'the first alone')
    await other.bus.subscribe(second.subscription)
    await eventually(() => second.seen.length > 200, 'both')
    const atJoin = first.seen.length
    await eventually(() => first.seen.length > atJoin + 100, 'the first as well')
    await other.stopInOrder()
    const atLeave = first.seen.length
    await eventually(() => first.seen.length > atLeave + 500, 'the first alone again')
    over.abort()
    await publishing
    const ids = () => new Set([...first.seen, ...second.seen].map(idOf))
    await eventually(() => ids().size === sent, 'every message')
    for (const order of Object.values(first.byKey())) expect(inOrder(order)).toBe(true)
    for (const order of Object.values(second.byKey())) expect(inOrder(order)).toBe(true)
  })

  test('A type that one member does not know is processed by another that does', async () => {
    const other = await keep(under.openAnother())
    const known = new Set(['Counted'])
    const old = recorder('orders', { known })
    const next = recorder('orders', { types: new Set(['Counted', 'Newer']) })
    await under.bus.subscribe(old.subscription)
    await other.bus.subscribe(next.subscription)
    const messages = numbers(120).map((n) => ({
      ...message('orders', `k${n % 40}`, n),
      type: n % 4 === 3 ? 'Newer' : 'Counted',
    }))
    for (let at = 0; at < 120; at += 20) await under.bus.publish(messages.slice(at, at + 20))
    const newer = () => next.seen.filter(({ type }) => type === 'Newer')
    await eventually(() => new Set(newer().map(idOf)).size === 30, 'the newer ones', 30_000)
    const ids = () => new Set([...old.seen, ...next.seen].map(idOf))
    await eventually(() => ids().size === 120, 'every message', 30_000)
    expect(old.seen.filter(({ type }) => type === 'Newer')).toEqual([])
    expect(await under.bus.deadLetters(10)).toEqual([])
    // While the members join again neither is ready.
    const readiness = (one: typeof under) => one.answers().then(() => 'ready', String)
    await eventually(async () => (await readiness(under)).includes('orders'), 'the one that waits')
    await eventually(async () => (await readiness(other)) === 'ready', 'the other')
  })

  test('Two subscriptions of one group each read their own topics', async () => {
    const orders = recorder('orders')
    const bills = recorder('bills')
    await under.bus.subscribe(orders.subscription)
    await under.bus.subscribe(bills.subscription)
    const messages = numbers(100).map((n) => message(n % 2 === 0 ? 'orders' : 'bills', `k${n}`, n))
    await under.bus.publish(messages)
    await eventually(() => orders.seen.length + bills.seen.length === 100, 'all of them')
    expect(new Set(orders.seen.map(({ topic }) => topic))).toEqual(new Set(['orders']))
    expect(new Set(bills.seen.map(({ topic }) => topic))).toEqual(new Set(['bills']))
    const again = under.bus.subscribe(orders.subscription)
    await expect(again).rejects.toThrow('the group recorder reads the topic orders already')
  })

  test('Every process receives its broadcasts, and its group is removed when it ends', async () => {
    const other = await keep(under.openAnother())
    const all = [under, other].map(({ bus }) => ({ bus, ...listenerTo(['orders', 'bills']) }))
    for (const { bus, listening } of all) await bus.subscribeBroadcast(listening)
    const messages = numbers(200).map((n) => message(n % 2 === 0 ? 'orders' : 'bills', `k${n}`, n))
    await under.bus.publish(messages)
    await eventually(() => all.every(({ received }) => received.length === 200), 'all of it twice')
    const broadcastGroups = async () =>
      (await under.groups()).filter((group) => group.includes('.shop.broadcast.'))
    expect((await broadcastGroups()).length).toBe(2)
    await under.bus.publish([message('orders', 'a', 1)])
    await other.engine.crash()
    await eventually(
      async () => (await broadcastGroups()).length === 1,
      'the end of the killed process',
      30_000,
    )
    await under.stopInOrder()
    under = await keep(under.restart())
    await eventually(
      async () => (await broadcastGroups()).length === 0,
      'the end of the other process',
    )
  })

  test('A broadcast consumer receives what was published while its connection was cut', async () => {
    const { received, missed, listening } = listenerTo(['orders'])
    await under.bus.subscribeBroadcast(listening)
    await under.bus.publish([message('orders', 'a', 0)])
    await eventually(() => received.length === 1, 'the first')
    for (const n of numbers(5, 1)) {
      under.brokers.cut()
      await under.bus.publish([message('orders', `k${n}`, n)])
    }
    await eventually(() => received.length >= 6, 'all of it')
    expect(new Set(received.map(numberOf))).toEqual(new Set(numbers(6)))
    expect(missed).toEqual([])
  })

  test('What a killed process has committed is sent by another process', async () => {
    const other = await keep(under.openAnother())
    const { subscription, byKey } = recorder('orders')
    await other.bus.subscribe(subscription)
    let isOver = false
    const announcing = Promise.all(
      numbers(10).map(async (worker) => {
        while (!isOver) {
          const options = { topic: 'orders', key: `k${worker}`, linger_ms: 0, fails: false }
          await announceNext(under, under.database, options)
        }
      }),
    )
    await eventually(() => Object.keys(byKey()).length === 10, 'some work')
    // This process loses Kafka first, so that rows are left in its outbox.
    under.brokers.close()
    const left = async () => {
      const [row] = await other.sql<{ count: string }>(
        `select count(*) from shop.outbox where topic <> ''`,
      )
      return Number(row?.count)
    }
    await under.engine.crash()
    await eventually(async () => (await left()) > 20, 'something left')
    isOver = true
    await announcing
    const all = await committed(other.database)
    const ends = (of: Record<string, readonly number[]>) =>
      Object.fromEntries(Object.entries(of).map(([key, order]) => [key, new Set(order).size]))
    await eventually(() => {
      const handled = ends(byKey())
      return Object.entries(ends(all)).every(([key, count]) => handled[key] === count)
    }, 'every event')
    for (const order of Object.values(byKey())) expect(inOrder(order)).toBe(true)
    await eventually(async () => (await left()) === 0, 'the empty outbox')
  })

  test('An orderly stop sends what is committed and commits what is finished', async () => {
    const { subscription, seen } = recorder('orders')
    await under.bus.subscribe(subscription)
    await under.bus.publish(numbers(50).map((n) => message('orders', `k${n}`, n)))
    await eventually(() => seen.length === 50, 'the messages')
    const options = { topic: 'bills', key: 'a', linger_ms: 0, fails: false }
    await announceNext(under, under.database, options)
    await under.stopInOrder()
    under = await keep(under.restart())
    const later = recorder('orders', { topics: ['orders', 'bills'] })
    await under.bus.subscribe(later.subscription)
    await under.bus.publish([message('orders', 'last', 1)])
    await eventually(() => later.seen.length >= 2, 'the announced and the last')
    expect(later.seen.map(({ key }) => key).sort()).toEqual(['a', 'last'])
  })

  test('A topic that is in no catalogue is refused where it is named', async () => {
    const unknown = message('nowhere', 'a', 1)
    await expect(under.bus.publish([unknown])).rejects.toThrow('not in the catalogue')
    const { subscription } = recorder('nowhere')
    await expect(under.bus.subscribe(subscription)).rejects.toThrow('not in the catalogue')
    const announcing = under.database.transaction((tx) => {
      under.bus.announce(tx, [unknown])
      return Promise.resolve()
    })
    await expect(announcing).rejects.toThrow('not in the catalogue')
  })

  test('The time without progress of a group with work is reported', async () => {
    const { subscription } = recorder('orders')
    const never = () => new Promise<void>(() => undefined)
    await under.bus.subscribe({ ...subscription, handleBatch: never })
    expect(under.engine.progress()).toBeUndefined()
    await under.bus.publish([message('orders', 'a', 1)])
    await eventually(() => (under.engine.progress() ?? 0) > 50, 'the standstill')
    const metric = await under.metrics.getSingleMetric('bus_lag_seconds')?.get()
    expect(metric?.values[0]?.value).toBeGreaterThan(0.01)
  })
})

describe('when Kafka fails', () => {
  // A test that failed may have left the broker killed.
  afterEach(() => startBroker(testBroker().port, testBroker().folder).catch(() => undefined))

  let cutter: ProduceCutter | undefined
  let testEnd = new AbortController()
  beforeEach(() => {
    testEnd = new AbortController()
  })
  afterEach(async () => {
    testEnd.abort()
    await cutter?.close()
    cutter = undefined
  })

  /** Publishes one after the other for each key, noting what was acknowledged, until it is over. */
  function publisher(under: KafkaUnderTest, keys: number) {
    const acknowledged: OutgoingMessage[] = []
    const { signal } = testEnd
    const hasEnded = () => signal.aborted
    let isOver = false
    const one = async (key: number) => {
      for (let n = 0; !isOver && !hasEnded(); n++) {
        const next = message('orders', `k${key}`, n)
        let isAcknowledged = false
        // What fails is published again until it is acknowledged, as an outbox would.
        while (!isAcknowledged && !hasEnded()) {
          isAcknowledged = await under.bus.publish([next]).then(
            () => true,
            () => false,
          )
        }
        acknowledged.push(next)
      }
    }
    const publishing = Promise.all(numbers(keys).map(one))
    return {
      acknowledged,
      over: async () => {
        isOver = true
        await publishing
      },
    }
  }

  async function expectAll(seen: readonly Message[], sent: readonly OutgoingMessage[]) {
    const isAllSeen = () => {
      const ids = new Set(seen.map(idOf))
      return sent.every(({ id }) => ids.has(id))
    }
    await eventually(isAllSeen, 'all that was acknowledged', 30_000)
    const byKey: Record<string, number[]> = {}
    for (const one of seen) (byKey[one.key] ??= []).push(numberOf(one))
    for (const order of Object.values(byKey)) expect(inOrder(order)).toBe(true)
  }

  test('No acknowledged message is lost or reordered when responses to Produce are lost', async () => {
    const { between, behind } = testBroker()
    cutter = await openProduceCutter(between, behind)
    const { dropped } = cutter
    const under = await keep(openKafkaUnderTest({ ...spread, address: `127.0.0.1:${between}` }))
    const { subscription, seen, byKey } = recorder('orders')
    await under.bus.subscribe(subscription)
    cutter.isDropped = () => chance(4) === 0
    const { acknowledged, over } = publisher(under, 12)
    await eventually(() => dropped() >= 25, 'many lost responses', 60_000)
    cutter.isDropped = () => false
    await over()
    await expectAll(seen, acknowledged)
    // The idempotent producer sent again what the broker had: the broker appended it once.
    for (const order of Object.values(byKey())) expect(order).toEqual(numbers(order.length))
  })

  test('A broker that is killed and restarted stops no member, and nothing is lost', async () => {
    const { port, folder } = testBroker()
    const under = await keep(openKafkaUnderTest(spread))
    const { subscription, seen, byKey } = recorder('orders')
    const subscribed = await under.bus.subscribe(subscription)
    const { acknowledged, over } = publisher(under, 8)
    const announced = recorder('bills', { group: 'bills' })
    await under.bus.subscribe(announced.subscription)
    for (let round = 0; round < 2; round++) {
      const from = seen.length
      await eventually(() => seen.length > from + 200, 'work before', 60_000)
      await killBroker(folder)
      // The database accepts announcements while Kafka is away.
      const options = { topic: 'bills', key: 'a', linger_ms: 0, fails: false }
      for (let n = 0; n < 10; n++) await announceNext(under, under.database, options)
      await expect(subscribed.lowWatermark()).rejects.toThrow('Kafka did not answer')
      await startBroker(port, folder)
    }
    const from = seen.length
    await eventually(() => seen.length > from + 200, 'work after', 60_000)
    await over()
    await expectAll(seen, acknowledged)
    await eventually(() => new Set(announced.seen.map(idOf)).size === 20, 'the announced', 30_000)
    expect(inOrder(announced.byKey()['a'] ?? [])).toBe(true)
    expect(Object.keys(byKey()).length).toBe(8)
    expect(await under.bus.deadLetters(1)).toEqual([])
  })

  test('Connections that break during login stop no member', async () => {
    const login = { mechanism: 'plain', user: 'causeway', password: 'causeway' } as const
    const address = `127.0.0.1:${testBroker().withLogin}`
    let lines = ''
    const destination = { write: (line: string) => void (lines += line) }
    const log = openLog({ name: 'test', level: 'warn', destination })
    const under = await keep(openKafkaUnderTest({ ...spread, address, login, log }))
    const { subscription, seen } = recorder('orders')
    await under.bus.subscribe(subscription)
    await under.bus.subscribeBroadcast(listenerTo(['bills']).listening)
    const { acknowledged, over } = publisher(under, 4)
    await eventually(() => seen.length > 50, 'work before')
    const logins = () => lines.split('SASL PLAIN authentication failed').length - 1
    while (logins() < 5) {
      await wait(chance(40))
      under.brokers.cut()
    }
    const from = seen.length
    await eventually(() => seen.length > from + 50, 'work after', 60_000)
    await over()
    await expectAll(seen, acknowledged)
  })

  test('A replaced consumer takes no partitions from its successor', async () => {
    const under = await keep(openKafkaUnderTest(spread))
    const { subscription, seen } = recorder('orders')
    await under.bus.subscribe(subscription)
    const { acknowledged, over } = publisher(under, 4)
    await eventually(() => seen.length > 50, 'work before')
    for (let round = 0; round < 20; round++) {
      const until_ms = performance.now() + 700 + chance(700)
      while (performance.now() < until_ms) {
        await wait(chance(150))
        under.brokers.cut()
      }
      const bills = recorder('bills')
      const more = await under.bus.subscribe(bills.subscription)
      await wait(chance(100))
      under.brokers.cut()
      await more.stop()
    }
    await over()
    await expectAll(seen, acknowledged)
    const { session_ms = 3_000 } = spread
    const isAlone = async () => (await under.membersOf('recorder')) === 1
    await eventually(isAlone, 'no other member in the group', 4 * session_ms)
  })

  test('A stop while Kafka is away takes no longer than a process may, and what is committed is sent later', async () => {
    const { port, folder } = testBroker()
    let under = await keep(openKafkaUnderTest(spread))
    const { subscription } = recorder('orders')
    await under.bus.subscribe(subscription)
    await under.bus.publish([message('orders', 'a', 1)])
    await killBroker(folder)
    const options = { topic: 'bills', key: 'a', linger_ms: 0, fails: false }
    await announceNext(under, under.database, options)
    const publishing = under.bus.publish([message('orders', 'a', 2)]).catch(isOutage)
    const began_ms = performance.now()
    await under.stopInOrder()
    expect(performance.now() - began_ms).toBeLessThan(9_000)
    expect(await publishing).toBe(true)
    await startBroker(port, folder)
    under = await keep(under.restart())
    const bills = recorder('bills')
    await under.bus.subscribe(bills.subscription)
    await eventually(() => bills.seen.length === 1, 'what was announced')
  })
})
