import { Outage } from '@causeway/process'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { pino } from 'pino'
import type { AlarmKind } from './alarms.ts'
import type { Message } from './event-bus.ts'
import { FromNewerRelease } from './from-newer-release.ts'
import { workQueue, type WorkQueueOptions } from './work-queue.ts'

interface Item {
  readonly topic: string
  readonly key: string
  readonly n: number
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const item = (n: number, key = ''): Item => ({ topic: 't', key, n })
const number = (message: Message) => message.payload as number

function open({ topic, key, n }: Item): Message {
  if (n < 0) throw new Error('no JSON')
  const rest = { type: 'T', source: 's', time: '', maybeDuplicate: false, headers: {} }
  return { id: `m${n}`, topic, key, payload: n, ...rest }
}

/** A queue that records the outcomes of its messages; pauses take one turn of the event loop. */
function openQueue(
  handleBatch: (numbers: readonly number[]) => Promise<void>,
  more: Partial<WorkQueueOptions<Item>> = {},
) {
  const finished: number[] = []
  const dead = new Map<number, string>()
  const alarms: AlarmKind[] = []
  const queue = workQueue<Item>({
    log: pino({ level: 'silent' }),
    queued_max: 1000,
    batch_max: 100,
    batches_in_flight_max: 1,
    open,
    alarm: (kind) => alarms.push(kind),
    onHeld: () => undefined,
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
  return { queue, finished, dead, alarms, done }
}

describe('The work queue:', () => {
  test('Queued messages form a batch, and messages that arrive meanwhile form the next', async () => {
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

  test('Batches are processed in parallel up to the bound, never with one key in two', async () => {
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

  test('A batch that failed by an outage is repeated unchanged and makes no dead letter', async () => {
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

  test('The one message that fails three times alone becomes a dead letter with its reason', async () => {
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

  describe('Batches of which every message fails alike:', () => {
    const refused = () => Object.assign(new Error('no such table'), { code: '42P01' })

    test('A batch of which every message fails alike is repeated with an alarm, in order, and makes no dead letter', async () => {
      let isBroken = true
      const applied: number[] = []
      const { queue, dead, alarms, done } = openQueue((numbers) => {
        if (isBroken) return Promise.reject(refused())
        applied.push(...numbers)
        return Promise.resolve()
      })
      for (let n = 0; n < 40; n++) queue.push(item(n, `k${n % 5}`))
      while (alarms.length < 3) await turn()
      isBroken = false
      await done(40)
      expect([...dead]).toEqual([])
      expect(new Set(alarms)).toEqual(new Set(['ALL_FAIL']))
      expect(applied).toEqual(Array.from({ length: 40 }, (_, n) => n))
    })

    test('If one message succeeds, the others that fail alike become dead letters', async () => {
      const { queue, finished, dead, alarms, done } = openQueue((numbers) =>
        numbers.length > 1 || numbers[0] !== 7 ? Promise.reject(refused()) : Promise.resolve(),
      )
      for (let n = 0; n < 8; n++) queue.push(item(n, `k${n}`))
      await done(8)
      expect([...dead.keys()]).toEqual([0, 1, 2, 3, 4, 5, 6])
      expect([finished.length, alarms]).toEqual([8, []])
    })

    test.each([
      ['a few messages', 3, () => refused()],
      ['failures that differ', 9, (n: number) => new Error(`no such member as ${n}`)],
    ])('Messages that fail become dead letters with %s', async (_, count, error) => {
      const { queue, dead, alarms, done } = openQueue((numbers) =>
        Promise.reject(error(numbers[0] ?? 0)),
      )
      for (let n = 0; n < count; n++) queue.push(item(n, `k${n}`))
      await done(count)
      expect([dead.size, alarms]).toEqual([count, []])
    })

    test('Of a batch with one key only the failing first message becomes a dead letter, since the others succeed after it', async () => {
      const { queue, finished, dead, done } = openQueue((numbers) =>
        numbers.includes(0) ? Promise.reject(refused()) : Promise.resolve(),
      )
      for (let n = 0; n < 9; n++) queue.push(item(n, 'k'))
      await done(9)
      expect([[...dead.keys()], finished.length]).toEqual([[0], 9])
    })
  })

  test('A failure that an operator has to repair is repeated with an alarm and makes no dead letter', async () => {
    let refusals = 5
    const { queue, finished, dead, alarms, done } = openQueue(() =>
      refusals-- > 0
        ? Promise.reject(new Outage('wrong password', { kind: 'REFUSED' }))
        : Promise.resolve(),
    )
    for (let n = 0; n < 7; n++) queue.push(item(n))
    await done(7)
    expect([finished.length, dead.size, alarms]).toEqual([7, 0, Array(5).fill('REFUSED')])
  })

  test('A batch that is too large is halved, and a single message that is too large is repeated with an alarm', async () => {
    let largest = 3
    const { queue, finished, dead, alarms, done } = openQueue((numbers) => {
      const isTooLarge = numbers.length > 2 || (numbers.includes(5) && largest-- > 0)
      return isTooLarge
        ? Promise.reject(new Outage('17 MiB', { kind: 'TOO_LARGE' }))
        : Promise.resolve()
    })
    for (let n = 0; n < 8; n++) queue.push(item(n))
    await done(8)
    expect(finished).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect([dead.size, new Set(alarms)]).toEqual([0, new Set(['REFUSED'])])
  })

  describe('Messages of a newer release:', () => {
    test('A message of a newer release that cannot be read waits with all behind it, and is processed once it can be', async () => {
      let isKnown = false
      const held: number[] = []
      const { queue, finished, dead, alarms, done } = openQueue(() => Promise.resolve(), {
        open(one) {
          if (one.n === 2 && !isKnown) throw new FromNewerRelease('no such value')
          return open(one)
        },
        onHeld: ({ n }) => held.push(n),
      })
      for (let n = 0; n < 5; n++) queue.push(item(n, `k${n}`))
      while (alarms.length < 3) await turn()
      expect([finished, queue.isHeld(), queue.progress()]).toEqual([[0, 1], true, undefined])
      isKnown = true
      await done(5)
      expect(finished).toEqual([0, 1, 2, 3, 4])
      expect([dead.size, queue.isHeld(), new Set(alarms)]).toEqual([
        0,
        false,
        new Set(['NEWER_RELEASE']),
      ])
      expect(new Set(held)).toEqual(new Set([2]))
    })

    test('A message that its handler does not understand waits and is no dead letter', async () => {
      let isKnown = false
      const { queue, finished, dead, alarms, done } = openQueue((numbers) =>
        numbers.includes(2) && !isKnown
          ? Promise.reject(new FromNewerRelease('no such reason'))
          : Promise.resolve(),
      )
      for (let n = 0; n < 5; n++) queue.push(item(n, `k${n}`))
      while (alarms.length < 5) await turn()
      expect([finished, queue.isHeld()]).toEqual([[0, 1], true])
      isKnown = true
      await done(5)
      expect([finished, dead.size]).toEqual([[0, 1, 2, 3, 4], 0])
    })
  })

  test('A dead letter that cannot be stored for long raises an alarm of its own', async () => {
    let refusals = 6
    const { queue, alarms, done } = openQueue(() => Promise.reject(new Error('bad')), {
      deadLetter: () => (refusals-- > 0 ? Promise.reject(new Error('full')) : Promise.resolve()),
    })
    queue.push(item(1))
    await done(1)
    expect(alarms).toEqual(Array(4).fill('DEAD_LETTER_NOT_STORED'))
  })

  test('A handler that throws before it returns a promise fails like any other', async () => {
    const { queue, dead, done } = openQueue(() => {
      throw new Error('at once')
    })
    queue.push(item(1))
    await done(1)
    expect(dead.get(1)).toBe('Error: at once')
  })

  test('A message that cannot be read becomes a dead letter without a call of the handler', async () => {
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

  test('A message is not finished before its dead letter is stored', async () => {
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

  test('The queue reports for how long nothing was finished while there is work', async () => {
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

  test('The room of the queue is its bound less the messages queued or in flight', async () => {
    const { queue, done } = openQueue(() => turn(), { queued_max: 3 })
    queue.push(item(1))
    queue.push(item(2))
    expect(queue.room()).toBe(1)
    await done(2)
    expect(queue.room()).toBe(3)
  })

  test('A stop waits for what is in flight and starts nothing further', async () => {
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

  test('A stop ends the repetition of an outage and leaves the message unfinished', async () => {
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

describe('For any sequence of successes, failures and outages:', () => {
  const message = fc.record({
    key: fc.constantFrom('a', 'b', 'c', ''),
    outcome: fc.constantFrom('good', 'good', 'good', 'poison', 'unreadable'),
  })

  test('Each message is finished once, each key in order, and only bad ones become dead letters', async () => {
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
          const n = (at: number) => (messages[at]?.outcome === 'unreadable' ? -at - 1 : at)
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
            const bad = numbers.find((at) => messages[at]?.outcome === 'poison')
            if (bad !== undefined) throw new Error(`bad ${bad}`)
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
            [...messages.keys()].filter((at) => messages[at]?.outcome === 'good'),
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

  test('A stop leaves each key at its unfinished message and starts nothing behind it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
        fc.integer({ min: 0, max: 60 }),
        async (messages, batch_max, chance, turns_max) => {
          const draw = () => chance.next().value as number
          const applied: number[] = []
          let isStopping = false
          const { queue, finished } = openQueue(
            async (numbers) => {
              const hasBegunBefore = !isStopping
              for (let turns = draw(); turns > 0; turns--) await turn()
              // Work in progress at the stop fails; work that started after it would succeed.
              if ((hasBegunBefore && isStopping) || draw() === 0)
                throw new Error(`bad ${numbers[0]}`)
              const bad = numbers.find((at) => messages[at]?.outcome === 'poison')
              if (bad !== undefined) throw new Error(`bad ${bad}`)
              applied.push(...numbers)
            },
            { batch_max },
          )
          for (const [at, { key }] of messages.entries()) queue.push(item(at, key))
          for (let turns = 0; turns < turns_max; turns++) await turn()
          isStopping = true
          await queue.stop()
          const done = new Set(finished)
          for (const key of ['a', 'b', 'c']) {
            const ofKey = [...messages.keys()].filter((at) => messages[at]?.key === key)
            const first = ofKey.find((at) => !done.has(at)) ?? Infinity
            expect(ofKey.filter((at) => at > first && done.has(at))).toEqual([])
            expect(applied.filter((at) => at > first && messages[at]?.key === key)).toEqual([])
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})
