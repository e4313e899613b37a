/** The guarantees for messages that cannot be processed, as tests that every engine passes. */
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import {
  alarmsOf,
  asSent,
  gate,
  message,
  numberOf,
  numbers,
  publishNumbers,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'

const endSelf = statement(`select pg_terminate_backend(pg_backend_pid())`)
const noteDone = statement(
  `insert into done as d (id) select unnest($1::text[]) on conflict (id) do update set times = d.times + 1`,
)

export function testsOfDeadLetters(under: () => BusUnderTest, restart: () => Promise<void>): void {
  test('One bad message stops no other: it becomes a dead letter with its reason', async () => {
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
    const stored = await eventually(async () => {
      const found = await bus.deadLetters(10)
      return found.length > 0 ? found : undefined
    }, 'the dead letter')
    expect(stored).toEqual([
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

  test('A dead letter is replayed to its own group, byte for byte, and then removed', async () => {
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
    const deadLetterAfter = (time: string) =>
      eventually(
        async () => (await bus.deadLetters(10)).find((stored) => stored.time > time),
        'the dead letter',
      )
    const first = await deadLetterAfter('')
    expect(await bus.replay('other', 'orders/a/1')).toBe(false)
    expect(await bus.replay('recorder', 'orders/a/2')).toBe(false)
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(true)
    await deadLetterAfter(first.time)
    expect(seen).toEqual([])
    broken = false
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(true)
    await eventually(async () => (await bus.deadLetters(10)).length === 0, 'no dead letter')
    expect(seen.map(asSent)).toEqual(other.seen.map(asSent))
    expect(other.seen.length).toBe(1)
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(false)
  })

  test('A replay that a crash interrupted starts again', async () => {
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
    await eventually(async () => !(await isDead()), 'no dead letter')
  })

  test('A payload that the group cannot read becomes a dead letter without a call of the handler', async () => {
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
    const stored = await bus.deadLetters(10)
    expect(stored.map(({ id, reason }) => [id, reason])).toEqual([
      ['orders/k1/1', 'cannot be read: Error: n is wrong'],
    ])
  })

  test('A refused login makes no dead letter: all messages are processed when the login works again', async () => {
    const { bus, database, role } = under()
    const { subscription } = recorder('orders', { batch_max: 10 })
    await bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        await database.query(noteDone, [`{${messages.map(({ id }) => id).join()}}`])
      },
    })
    await under().sql(`alter role ${role} nologin`)
    try {
      await under().cutConnections()
      await eventually(async () => {
        await publishNumbers(under(), 'orders', 50, 50)
        return true
      }, 'new connections of the bus')
      await eventually(async () => (await alarmsOf(under(), 'REFUSED')) > 2, 'alarms')
    } finally {
      await under().sql(`alter role ${role} login`)
    }
    await eventually(async () => {
      const rows = await under().sql<{ n: number }>('select count(*)::int as n from shop.done')
      return rows[0]?.n === 50
    }, 'every message')
    expect(await bus.deadLetters(10)).toEqual([])
  })

  test('The observer of a group is called before each dead letter is stored and before it is removed', async () => {
    const { bus } = under()
    const calls: string[] = []
    const idsNow = async () => (await bus.deadLetters(10)).map(({ id }) => id).join()
    let isBroken = true
    let refusals = 2
    const { subscription, seen } = recorder('orders', {
      handleBatch: (messages) => {
        if (isBroken) throw new Error('not yet')
        seen.push(...messages)
        return Promise.resolve()
      },
      deadLetterObserver: {
        async onStored({ id, key, type, reason }) {
          if (refusals-- > 0) throw new Error('the database is full')
          calls.push(`stored ${id} ${key} ${type}: ${reason} (${await idsNow()})`)
        },
        async onRemoved({ id, key, type }) {
          calls.push(`removed ${id} ${key} ${type} (${await idsNow()})`)
        },
      },
    })
    await bus.subscribe(subscription)
    await bus.publish([message('orders', 'a', 1)])
    await eventually(async () => (await idsNow()) === 'orders/a/1', 'the dead letter')
    isBroken = false
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(true)
    await eventually(async () => (await idsNow()) === '', 'no dead letter')
    expect(calls).toEqual([
      'stored orders/a/1 a Counted: Error: not yet ()',
      'removed orders/a/1 a Counted (orders/a/1)',
    ])
  })

  test('A dead letter is discarded by a process of its group, and is then removed', async () => {
    const { bus } = under()
    const removed: string[] = []
    const { subscription } = recorder('orders', {
      handleBatch: () => Promise.reject(new Error('never')),
      deadLetterObserver: {
        onStored: () => Promise.resolve(),
        onRemoved: ({ id }) => Promise.resolve(void removed.push(id)),
      },
    })
    const subscribed = await bus.subscribe(subscription)
    await bus.publish([message('orders', 'a', 1)])
    await eventually(async () => (await bus.deadLetters(10)).length === 1, 'the dead letter')
    expect(await bus.discard('recorder', 'orders/a/2')).toBe('UNKNOWN')
    await subscribed.stop()
    expect(await bus.discard('recorder', 'orders/a/1')).toBe('ELSEWHERE')
    await bus.subscribe(subscription)
    expect(await bus.discard('recorder', 'orders/a/1')).toBe('DISCARDED')
    expect([removed, await bus.deadLetters(10)]).toEqual([['orders/a/1'], []])
    expect(await bus.discard('recorder', 'orders/a/1')).toBe('UNKNOWN')
    expect(await bus.replay('recorder', 'orders/a/1')).toBe(false)
  })

  test('An outage makes no dead letter: the batch is repeated until the outage is over', async () => {
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
