/**
 * The guarantees of the low watermark of a group, as tests that every engine passes: code that acts on
 * the absence of a message may rely on them.
 */
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import type { Message, Subscribed } from '../event-bus.ts'
import {
  announceNext,
  chance,
  gate,
  message,
  numbers,
  recorder,
  type BusUnderTest,
} from './bus-under-test.ts'

const timeOf = ({ time }: Message) => Date.parse(time)
const asked = async (subscribed: Subscribed) => (await subscribed.lowWatermark()).getTime()
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const sleepABit = statement('select pg_sleep(0.001)')

/** Resolves when the group has processed what was announced before this call. */
async function caughtUp(subscribed: Subscribed): Promise<void> {
  const now = Date.now()
  await eventually(async () => (await asked(subscribed)) > now || undefined, 'to be processed')
}

export function testsOfLowWatermark(under: () => BusUnderTest, restart: () => Promise<void>): void {
  test('With nothing to do, the low watermark is about now and never later', async () => {
    const subscribed = await under().bus.subscribe(recorder('orders').subscription)
    await caughtUp(subscribed)
    expect(await asked(subscribed)).toBeLessThanOrEqual(Date.now())
    await under().bus.publish([message('bills', 'of others', 1)])
    await under().bus.publish([{ ...message('orders', 'a', 2), type: 'Other' }])
    await caughtUp(subscribed)
  })

  test('The low watermark does not pass a message in work, nor those behind it', async () => {
    const { bus } = under()
    const gates = [gate(), gate()]
    const begun: Message[] = []
    const subscribed = await bus.subscribe({
      ...recorder('orders').subscription,
      batch_max: 1,
      handleBatch: async (messages) => {
        begun.push(...messages)
        await gates[begun.length - 1]?.opened
      },
    })
    await bus.publish([message('orders', 'a', 0)])
    await eventually(() => begun[0], 'the first message')
    await bus.publish([message('orders', 'a', 1)])
    await bus.publish([message('orders', 'a', 2)])
    const first = begun[0] as Message
    expect(await asked(subscribed)).toBeLessThanOrEqual(timeOf(first))
    await eventually(() => Date.now() > timeOf(first) + 20 || undefined, 'some time')
    expect(await asked(subscribed)).toBeLessThanOrEqual(timeOf(first))
    gates[0]?.open()
    const second = await eventually(() => begun[1], 'the second message')
    expect(await asked(subscribed)).toBeLessThanOrEqual(timeOf(second))
    gates[1]?.open()
    await caughtUp(subscribed)
    expect(begun.length).toBe(3)
  })

  test('The low watermark does not pass a message that is tried again, but passes a dead letter', async () => {
    const { bus, database } = under()
    const outages = gate()
    const tried: Message[] = []
    let isOver = false
    const subscribed = await bus.subscribe({
      ...recorder('orders').subscription,
      handleBatch: async (messages) => {
        tried.push(...messages)
        if (tried.length > 2) outages.open()
        if (isOver) throw new Error('wrong for good')
        await database.query(statement('select pg_terminate_backend(pg_backend_pid())'), [])
      },
    })
    await bus.publish([message('orders', 'a', 1)])
    await outages.opened
    expect(await asked(subscribed)).toBeLessThanOrEqual(timeOf(tried[0] as Message))
    isOver = true
    await caughtUp(subscribed)
    expect((await bus.deadLetters(10)).length).toBe(1)
  })

  test('The low watermark of a group that starts with a backlog is before the backlog', async () => {
    const { bus } = under()
    const first = recorder('orders', { group: 'first' })
    await bus.subscribe(first.subscription)
    for (const n of numbers(30)) await bus.publish([message('orders', `k${n % 5}`, n)])
    await eventually(() => first.seen.length === 30 || undefined, 'the times')
    const oldest = Math.min(...first.seen.map(timeOf))
    const held = gate()
    const late = recorder('orders', { group: 'late', handleBatch: () => held.opened })
    const subscribed = await bus.subscribe(late.subscription)
    expect(await asked(subscribed)).toBeLessThanOrEqual(oldest)
    await bus.publish([message('orders', 'a', 31)])
    expect(await asked(subscribed)).toBeLessThanOrEqual(oldest)
    held.open()
    await caughtUp(subscribed)
  })

  test('After a crash the low watermark does not pass messages that are delivered again', async () => {
    const held = gate()
    const { subscription, seen } = recorder('orders', { batch_max: 1 })
    await under().bus.subscribe({
      ...subscription,
      handleBatch: async (messages) => {
        seen.push(...messages)
        if (seen.length === 3) held.open()
        if (seen.length >= 3) await new Promise(() => undefined)
      },
    })
    for (const n of numbers(5)) await under().bus.publish([message('orders', 'a', n)])
    await held.opened
    await restart()
    await eventually(() => Date.now() > timeOf(seen[2] as Message) + 20 || undefined, 'some time')
    const again = gate()
    const after = recorder('orders', { handleBatch: () => again.opened })
    const subscribed = await under().bus.subscribe(after.subscription)
    expect(await asked(subscribed)).toBeLessThanOrEqual(timeOf(seen[2] as Message))
    again.open()
    await caughtUp(subscribed)
  })

  test('With publishing and any outcome of COMMITs, no message below the low watermark is delivered later', async () => {
    const { bus, database } = under()
    const cut = await under().openCutDatabase()
    const outcomes = ['arrives late', 'never arrives', 'answer lost', 'pass', 'pass'] as const
    cut.decide = () => outcomes[chance(outcomes.length)] ?? 'pass'
    const { subscription, seen } = recorder('orders', { batch_max: 5, batches_in_flight_max: 3 })
    let until = 0
    let tooLate = 0
    const look = (messages: readonly Message[]) => {
      tooLate += messages.filter((one) => timeOf(one) < until).length
    }
    // A backlog that was published before the group subscribes.
    for (const n of numbers(60)) {
      await bus.publish(numbers(50).map((k) => message('orders', `old ${k}`, n)))
    }
    const subscribed = await bus.subscribe({
      ...subscription,
      batch_max: 100,
      handleBatch: async (messages) => {
        look(messages)
        await database.query(sleepABit, [])
        look(messages)
        seen.push(...messages)
      },
    })
    const over = new AbortController()
    const asking = (async () => {
      while (!over.signal.aborted) {
        until = Math.max(until, await asked(subscribed))
        await turn()
      }
    })()
    await Promise.all(
      numbers(12).map(async (worker) => {
        for (let at = 0; at < 25; at++) {
          const from = worker % 2 === 0 ? cut.database : database
          const options = { topic: 'orders', key: `k${chance(6)}`, linger_ms: 2, fails: false }
          await announceNext(under(), from, options).catch(() => undefined)
          const more = numbers(1 + chance(60)).map((n) => message('orders', `w${worker} ${at}`, n))
          await bus.publish(more).catch(() => undefined)
        }
      }),
    )
    await eventually(() => cut.onTheirWay() === 0 || undefined, 'the late ones')
    await caughtUp(subscribed)
    over.abort()
    await asking
    expect(tooLate).toBe(0)
    expect(seen.length).toBeGreaterThan(3_000)
  })
}
