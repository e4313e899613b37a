import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import {
  inTurn,
  late_wait_ms_max,
  openTurns,
  patience_ms,
  quiet_ms,
  wait_ms_max,
  type Turns,
} from './turns.ts'

let turns: Turns
let seen: string[]

beforeEach(() => {
  jest.useFakeTimers()
  turns = openTurns()
  seen = []
})

afterEach(() => {
  jest.useRealTimers()
})

const after = (ms: number) => jest.advanceTimersByTimeAsync(ms)

/** Work that gives way before each of its pieces; the test ends each piece. */
function pieces(name: string, count: number) {
  let endPiece: () => void = () => undefined
  const done = inTurn(turns, { givesWay: true }, async (giveWay) => {
    for (let at = 1; at <= count; at++) {
      if (at > 1) await giveWay()
      seen.push(`${name}${at}`)
      await new Promise<void>((resolve) => (endPiece = resolve))
    }
  })
  return {
    done,
    async end() {
      endPiece()
      await after(0)
    },
  }
}

test('A piece starts at once when nothing else is in progress', async () => {
  pieces('a', 1)
  await after(0)
  expect(seen).toEqual(['a1'])
})

test('A piece waits until no urgent work has been in progress for a moment', async () => {
  const [first, second] = [turns.urgent(), turns.urgent()]
  pieces('a', 1)
  first()
  await after(quiet_ms)
  second()
  await after(quiet_ms - 1)
  const third = turns.urgent()
  await after(10)
  third()
  await after(quiet_ms - 1)
  expect(seen).toEqual([])
  await after(1)
  expect(seen).toEqual(['a1'])
})

test('Urgent work does not wait', async () => {
  pieces('a', 1)
  await after(0)
  await inTurn(turns, {}, async (giveWay) => {
    await giveWay()
    seen.push('urgent')
  })
  expect(seen).toEqual(['a1', 'urgent'])
})

test('One piece is done at a time, and several large works take turns', async () => {
  const [a, b] = [pieces('a', 2), pieces('b', 2)]
  await after(0)
  expect(seen).toEqual(['a1'])
  await a.end()
  await b.end()
  await a.end()
  await b.end()
  await Promise.all([a.done, b.done])
  expect(seen).toEqual(['a1', 'b1', 'a2', 'b2'])
})

test('A piece starts after its longest wait, whatever is in progress', async () => {
  turns.urgent()
  pieces('a', 1)
  await after(wait_ms_max - 1)
  expect(seen).toEqual([])
  pieces('b', 1)
  await after(1)
  expect(seen).toEqual(['a1'])
  await after(wait_ms_max - 1)
  expect(seen).toEqual(['a1', 'b1'])
})

test('All pieces of one work wait for a bounded time together, and another work waits as long as the first', async () => {
  turns.urgent()
  const begun_ms = performance.now()
  const pieces_max = 2 * (patience_ms / wait_ms_max)
  const starts: number[] = []
  const large = inTurn(turns, { givesWay: true }, async (giveWay) => {
    starts.push(performance.now() - begun_ms)
    for (let at = 1; at < pieces_max; at++) {
      await giveWay()
      starts.push(performance.now() - begun_ms)
    }
  })
  await after(patience_ms + (pieces_max / 2) * late_wait_ms_max)
  await large
  expect(starts.slice(0, 2)).toEqual([wait_ms_max, 2 * wait_ms_max])
  expect(starts.at(-1)).toBe(patience_ms + (pieces_max / 2) * late_wait_ms_max)
  pieces('b', 1)
  await after(wait_ms_max - 1)
  expect(seen).toEqual([])
  await after(1)
  expect(seen).toEqual(['b1'])
})

test('Work that gives way between its pieces begins at once', async () => {
  turns.urgent()
  const work = inTurn(turns, { givesWay: 'between pieces' }, async (giveWay) => {
    seen.push('begun')
    await giveWay()
    seen.push('piece')
  })
  await after(wait_ms_max - 1)
  expect(seen).toEqual(['begun'])
  await after(1)
  await work
  expect(seen).toEqual(['begun', 'piece'])
})

test('Work that fails ends its turn', async () => {
  const failed = inTurn(turns, { givesWay: true }, () => Promise.reject(new Error('broken')))
  const other = pieces('b', 1)
  await expect(failed).rejects.toThrow('broken')
  await other.end()
  await other.done
  const urgent = inTurn(turns, {}, () => Promise.reject(new Error('broken')))
  await expect(urgent).rejects.toThrow('broken')
  pieces('c', 1)
  await after(quiet_ms)
  expect(seen).toEqual(['b1', 'c1'])
})

test('In any schedule every piece starts in time, and alone unless it has waited for its longest time', async () => {
  const step = fc.record({
    wait_ms: fc.integer({ min: 0, max: 300 }),
    lasts_ms: fc.integer({ min: 0, max: 700 }),
    isUrgent: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const of = openTurns()
      let busy = 0
      const waits: string[] = []
      for (const { wait_ms, lasts_ms, isUrgent } of steps) {
        const asked_ms = performance.now()
        void inTurn(of, { givesWay: !isUrgent }, async () => {
          const waited_ms = performance.now() - asked_ms
          const isRight = isUrgent
            ? waited_ms === 0
            : waited_ms <= wait_ms_max + 1 && (busy === 0 || waited_ms >= wait_ms_max)
          waits.push(isRight ? 'right' : `${waited_ms} ms with ${busy} others`)
          busy += 1
          await new Promise<void>((resolve) => setTimeout(resolve, lasts_ms))
          busy -= 1
        })
        await after(wait_ms)
      }
      await after(wait_ms_max + 701)
      expect(waits).toEqual(steps.map(() => 'right'))
    }),
    { numRuns: 100 },
  )
})
