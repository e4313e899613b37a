import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pino } from 'pino'
import type { Message } from './event-bus.ts'
import { workQueue, type WorkQueueOptions } from './work-queue.ts'

interface Item {
  readonly topic: string
  readonly key: string
  readonly n: number
}

class Outage extends Error {}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const item = (n: number, key = ''): Item => ({ topic: 't', key, n })
const number = (message: Message) => message.payload as number

function open({ topic, key, n }: Item): Message {
  if (n < 0) throw new Error('no JSON')
  const rest = { type: 'T', source: 's', time: '', again: false, headers: {} }
  return { id: `m${n}`, topic, key, payload: n, ...rest }
}

/** A queue that notes what becomes of its messages; pauses take one turn of the event loop. */
function openQueue(
  handleBatch: (numbers: readonly number[]) => Promise<void>,
  more: Partial<WorkQueueOptions<Item>> = {},
) {
  const finished: number[] = []
  const dead = new Map<number, string>()
  const queue = workQueue<Item>({
    log: pino({ level: 'silent' }),
    queued_max: 1000,
    batch_max: 100,
    batches_in_flight_max: 1,
    open,
    isOutage: (error) => error instanceof Outage,
    handleBatch: (messages) => handleBatch(messages.map(number)),
    deadLetter: async ({ n }, reason) => {
      await turn()
      dead.set(n, reason)
    },
    onFinished: (items) => finished.push(...items.map(({ n }) => n)),
    pause: turn,
    ...more,
  })
  const done = async (count: number) => {
    while (finished.length < count) await turn()
  }
  return { queue, finished, dead, done }
}

describe('the work queue', () => {
  test('cuts what has queued into batches, and what comes meanwhile into the next', async () => {
    const batches: (readonly number[])[] = []
    const opened = openQueue(
      async (numbers) => {
        batches.push(numbers)
        if (batches.length === 1) for (let n = 5; n < 8; n++) opened.queue.push(item(n))
        await turn()
      },
      { batch_max: 4 },
    )
    for (let n = 0; n < 5; n++) opened.queue.push(item(n))
    await opened.done(8)
    expect(batches).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ])
  })

  test('works on as many batches side by side as it may, never with a key in two', async () => {
    let inFlight = 0
    let most = 0
    const { queue, finished, done } = openQueue(
      async () => {
        most = Math.max(most, ++inFlight)
        await turn()
        inFlight--
      },
      { batch_max: 1, batches_in_flight_max: 3 },
    )
    for (let n = 0; n < 9; n++) queue.push(item(n, `k${n % 4}`))
    await done(9)
    expect(most).toBe(3)
    expect(finished.filter((n) => n % 4 === 0)).toEqual([0, 4, 8])
  })

  test('repeats a batch that met an outage as it is, and gives nothing up', async () => {
    let outages = 20
    const sizes: number[] = []
    const { queue, finished, dead, done } = openQueue((numbers) => {
      sizes.push(numbers.length)
      return outages-- > 0 ? Promise.reject(new Outage('gone')) : Promise.resolve()
    })
    for (let n = 0; n < 7; n++) queue.push(item(n))
    await done(7)
    expect(finished).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(sizes).toEqual(Array(21).fill(7))
    expect(dead.size).toBe(0)
  })

  test('gives up the one message that fails three times alone, with its reason', async () => {
    let alone = 0
    const { queue, finished, dead, done } = openQueue((numbers) => {
      if (numbers.length === 1 && numbers[0] === 5) alone++
      return numbers.includes(5) ? Promise.reject(new TypeError('no such')) : Promise.resolve()
    })
    for (let n = 0; n < 16; n++) queue.push(item(n, 'k'))
    await done(16)
    expect(finished).toEqual(Array.from({ length: 16 }, (_, n) => n))
    expect([...dead]).toEqual([[5, 'TypeError: no such']])
    expect(alone).toBe(3)
  })

  test('a handler that throws before it returns a promise is a failure like any other', async () => {
    const { queue, dead, done } = openQueue(() => {
      throw new Error('at once')
    })
    queue.push(item(1))
    await done(1)
    expect(dead.get(1)).toBe('Error: at once')
  })

  test('gives up a message that cannot be read without asking the handler', async () => {
    const seen: number[] = []
    const { queue, dead, done } = openQueue((numbers) => {
      seen.push(...numbers)
      return Promise.resolve()
    })
    for (const n of [1, -2, 3]) queue.push(item(n))
    await done(3)
    expect(seen).toEqual([1, 3])
    expect(dead.get(-2)).toBe('cannot be read: Error: no JSON')
  })

  test('a message is not finished before its dead letter is stored', async () => {
    let refusals = 4
    const { queue, finished, done } = openQueue(() => Promise.reject(new Error('bad')), {
      deadLetter: () => (refusals-- > 0 ? Promise.reject(new Error('full')) : Promise.resolve()),
    })
    queue.push(item(1))
    while (refusals > 0) {
      expect(finished).toEqual([])
      await turn()
    }
    await done(1)
    expect(refusals).toBe(-1)
  })

  test('tells how long nothing was finished though there is work', async () => {
    let end = (): void => undefined
    const { queue, done } = openQueue(() => new Promise((resolve) => (end = resolve)))
    expect(queue.progress()).toBeUndefined()
    queue.push(item(1))
    await turn()
    const first = queue.progress() ?? -1
    while ((queue.progress() ?? 0) <= first) await turn()
    expect(queue.progress()).toBeGreaterThan(0)
    end()
    await done(1)
    expect(queue.progress()).toBeUndefined()
  })

  test('has room for what is neither queued nor in flight', async () => {
    const { queue, done } = openQueue(() => turn(), { queued_max: 3 })
    queue.push(item(1))
    queue.push(item(2))
    expect(queue.room()).toBe(1)
    await done(2)
    expect(queue.room()).toBe(3)
  })

  test('stop waits for what is in flight and begins nothing further', async () => {
    const seen: number[] = []
    const { queue, finished } = openQueue(
      async (numbers) => {
        seen.push(...numbers)
        for (let at = 0; at < 5; at++) await turn()
      },
      { batch_max: 1 },
    )
    queue.push(item(1))
    queue.push(item(2))
    await turn()
    await queue.stop()
    expect([seen, finished]).toEqual([[1], [1]])
  })

  test('stop ends the repeating of an outage and leaves the message unfinished', async () => {
    let tries = 0
    const { queue, finished } = openQueue(() => {
      tries++
      return Promise.reject(new Outage('gone'))
    })
    queue.push(item(1))
    while (tries < 3) await turn()
    await queue.stop()
    const before = tries
    await turn()
    expect([finished, tries]).toEqual([[], before])
  })
})

describe('whatever completes, fails or goes away', () => {
  const message = fc.record({
    key: fc.constantFrom('a', 'b', 'c', ''),
    fate: fc.constantFrom('good', 'good', 'good', 'poison', 'unreadable'),
  })

  test('each message is finished once, each key in order, and only bad ones are dead', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 40 }),
        fc.record({
          batch_max: fc.integer({ min: 1, max: 7 }),
          batches_in_flight_max: fc.integer({ min: 1, max: 4 }),
        }),
        fc.infiniteStream(fc.integer({ min: 0, max: 5 })),
        async (messages, bounds, chance) => {
          const draw = () => chance.next().value as number
          const n = (at: number) => (messages[at]?.fate === 'unreadable' ? -at - 1 : at)
          const inFlight = new Set<string>()
          const applied: number[] = []
          const { queue, finished, dead, done } = openQueue(async (numbers) => {
            const keys = new Set(numbers.map((at) => messages[at]?.key ?? ''))
            keys.delete('')
            for (const key of keys) expect(inFlight.has(key)).toBe(false)
            keys.forEach((key) => inFlight.add(key))
            for (let turns = draw(); turns > 0; turns--) await turn()
            keys.forEach((key) => inFlight.delete(key))
            if (draw() === 0) throw new Outage('gone')
            if (numbers.some((at) => messages[at]?.fate === 'poison')) throw new Error('bad')
            applied.push(...numbers)
          }, bounds)
          for (const [at, { key }] of messages.entries()) {
            queue.push(item(n(at), key))
            if (draw() === 0) await turn()
          }
          await done(messages.length)
          await queue.stop()
          expect(new Set(finished).size).toBe(messages.length)
          expect(finished.length).toBe(messages.length)
          expect(applied.toSorted((a, b) => a - b)).toEqual(
            [...messages.keys()].filter((at) => messages[at]?.fate === 'good'),
          )
          expect(dead.size).toBe(messages.length - applied.length)
          for (const key of ['a', 'b', 'c']) {
            const order = applied.filter((at) => messages[at]?.key === key)
            expect(order).toEqual(order.toSorted((a, b) => a - b))
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})
