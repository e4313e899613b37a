/** The guarantees after restarts, crashes and lost connections, as tests that every engine passes. */
import { statement } from '@causeway/postgres'
import { isOutage } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import type { Message } from '../event-bus.ts'
import {
  announceNext,
  chance,
  committed,
  gate,
  message,
  numberOf,
  numbers,
  publishNumbers,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'

const noteOne = statement(`insert into done (id) values (gen_random_uuid())`)
const bill = { topic: 'bills', linger_ms: 0, fails: false }

export function testsOfRecovery(under: () => BusUnderTest, restart: () => Promise<void>): void {
  test('A group that was away continues at its offset; a new one begins with the oldest retained message', async () => {
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

  test('Announcements of a transaction that the database refuses are not delivered', async () => {
    const { bus, database, announcements } = under()
    await under().sql(`create function refuse() returns trigger language plpgsql as
      'begin raise exception ''refused''; end'`)
    await under().sql(`create trigger refuse before insert on ${announcements} for each row
      when (new.key = 'refused') execute function refuse()`)
    const { subscription, seen } = recorder('orders')
    await bus.subscribe(subscription)
    const options = { topic: 'orders', linger_ms: 0, fails: false }
    const next = (key: string) => announceNext(under(), database, { ...options, key })
    await next('first')
    await expect(next('refused')).rejects.toThrow('refused')
    await next('last')
    await eventually(() => seen.some(({ key }) => key === 'last'), 'the message after it')
    expect(seen.map(({ key }) => key)).toEqual(['first', 'last'])
    expect(await committed(database)).toEqual({ first: [1], last: [1] })
  })

  test('A full disk is an outage: nothing is lost, and processing continues when there is room again', async () => {
    const { bus, database, announcements } = under()
    const bills = recorder('bills')
    await bus.subscribe(bills.subscription)
    const orders = recorder('orders')
    let tries = 0
    await bus.subscribe({
      ...orders.subscription,
      async handleBatch(messages) {
        tries++
        await database.transaction(async (tx) => {
          await tx.query(noteOne, [])
          bus.announce(
            tx,
            messages.map((one) => message('bills', one.key, numberOf(one))),
          )
        })
        orders.seen.push(...messages)
      },
    })
    await publishNumbers(under(), 'orders', 20)
    await eventually(() => bills.seen.length === 20, 'the first bills')
    await under().sql(`create function is_full() returns trigger language plpgsql as
      'begin raise exception ''could not extend file: No space left on device''
        using errcode = ''53100''; end'`)
    await under().sql(`create trigger is_full before insert on ${announcements} for each row
      when (new.topic = 'bills') execute function is_full()`)
    const refused = announceNext(under(), database, { ...bill, key: 'refused' })
    expect(isOutage(await refused.catch((error: unknown) => error))).toBe(true)
    const later = numbers(30, 20).map((n) => message('orders', `k${n % 5}`, n))
    const before = tries
    await bus.publish(later)
    await eventually(() => tries > before + 2, 'some tries')
    await under().sql(`drop trigger is_full on ${announcements}`)
    await eventually(() => new Set(bills.seen.map(({ id }) => id)).size === 50, 'every bill')
    expect(bills.seen.map(({ key }) => key)).not.toContain('refused')
    expect(await bus.deadLetters(10)).toEqual([])
  })

  test('A stop finishes what is in flight and starts nothing further', async () => {
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

  test('After a crash a group receives again what was not stored as finished, in any batches', async () => {
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

  test('However many crashes there are, every committed announcement is processed, each key in order', async () => {
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
      // After a crash some messages are delivered again, in their order.
      const got = handled[key] ?? []
      expect([...new Set(got)]).toEqual(order)
      for (let at = 1; at < got.length; at++) {
        expect(got[at]).toBeLessThanOrEqual((got[at - 1] ?? 0) + 1)
      }
    }
  })

  test('A COMMIT whose response is lost neither loses nor reorders messages, whatever its outcome', async () => {
    const cut = await under().openCutDatabase()
    const { subscription, seen, byKey } = recorder('orders')
    await under().bus.subscribe(subscription)
    const outcomes = [
      'never arrives',
      'arrives late',
      'answer lost',
      'pass',
      'pass',
      'pass',
    ] as const
    cut.decide = () => outcomes[chance(outcomes.length)] ?? 'pass'
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
    // A new group reads what was committed, so nothing was committed but not delivered.
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

  test('When all connections break again and again, every acknowledged message is delivered', async () => {
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
    const count = Object.values(all).flat().length
    const counted = () => seen.filter(({ key }) => key.startsWith('k')).length
    await eventually(() => counted() >= count, 'every announced event')
    const isAllSeen = () => {
      const ids = new Set(seen.map(({ id }) => id))
      return promised.every((id) => ids.has(id))
    }
    await eventually(isAllSeen, 'every published event')
    expect(byKey()).toMatchObject(all)
    expect(await bus.deadLetters(1)).toEqual([])
  })
}
