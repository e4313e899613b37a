import { expect, test } from '@jest/globals'
import type { Administration } from '../administration.ts'
import { lowWatermark_ms } from './low-watermark.ts'

interface Log {
  /** When the log appended each message of its one partition, in ms before now. */
  readonly taken_ms_ago: readonly number[]
  readonly committed: number
  readonly finished?: number
  /** Messages of a second partition, all deleted, without a committed offset. */
  readonly deleted?: number
}

/** Age of the watermark, in ms. */
async function lag(
  { taken_ms_ago, committed, finished, deleted = 0 }: Log,
  announced_ms_ago = 0,
): Promise<number> {
  const now = Date.now()
  const taken = taken_ms_ago.map((ago) => now - ago)
  const offsets = (offset: number, ofDeleted: number) => {
    const both = [
      { partition: 0, offset },
      { partition: 1, offset: ofDeleted },
    ]
    return Promise.resolve([{ topic: 't', partitions: both }])
  }
  const administration: Pick<Administration, 'committed' | 'ends' | 'offsetsAt'> = {
    committed: () => offsets(committed, -1),
    ends: () =>
      Promise.resolve([
        {
          topic: 't',
          partitions: [
            { partition: 0, low: 0, high: taken.length },
            { partition: 1, low: deleted, high: deleted },
          ],
        },
      ]),
    offsetsAt: (_topics, at_ms) => offsets(taken.filter((time) => time < at_ms).length, deleted),
  }
  const until = await lowWatermark_ms({
    administration: administration as Administration,
    group: 'g',
    topics: ['t'],
    finished: () => new Map(finished === undefined ? [] : [['t 0', finished]]),
    since_ms: () => (announced_ms_ago === 0 ? Infinity : now - announced_ms_ago),
    underWay_ms_max: 100,
  })
  return now - until
}

const about = (ms: number) => expect.closeTo(ms, -2)

test('When all is finished, the watermark is earlier by the time that a publication may take', async () => {
  expect(await lag({ taken_ms_ago: [], committed: -1 })).toEqual(about(100))
  expect(await lag({ taken_ms_ago: [9_000, 10], committed: 2 })).toEqual(about(100))
})

test('A partition whose messages are all deleted does not hold back the watermark', async () => {
  expect(await lag({ taken_ms_ago: [9_000], committed: 1, deleted: 7 })).toEqual(about(100))
  const behind = await lag({ taken_ms_ago: [9_000, 10], committed: 1, deleted: 7 })
  expect(behind).toBeLessThan(2_000)
})

test('Messages that this process has finished count before their offset is committed', async () => {
  expect(await lag({ taken_ms_ago: [9_000, 10], committed: 0, finished: 2 })).toEqual(about(100))
})

test('The watermark is before the oldest unfinished message, however many follow it', async () => {
  const answers = await Promise.all([
    lag({ taken_ms_ago: [9_000, 500, 10], committed: 1 }),
    lag({ taken_ms_ago: [9_000, 500, 10], committed: 0 }),
    lag({ taken_ms_ago: [9_000_000], committed: -1 }),
  ])
  expect(answers[0]).toBeGreaterThan(600)
  expect(answers[0]).toBeLessThan(2_000)
  expect(answers[1]).toBeGreaterThan(9_100)
  expect(answers[2]).toBeGreaterThan(9_000_100)
})

test('The watermark is before the publications in progress in this process', async () => {
  expect(await lag({ taken_ms_ago: [10], committed: 1 }, 700)).toEqual(about(700))
})
