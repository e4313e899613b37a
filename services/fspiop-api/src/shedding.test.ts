/**
 * The shedding beside a hub of which only this is modelled: messages stand in one queue, and a payment
 * is six trips through it, one after the other.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openShedding } from './shedding.ts'

const trips = 6
const turn_ms = 2
const base_ms = 40
const start_ms = 1_700_000_000_000

interface Trip {
  readonly begun_ms: number
  readonly trip: number
  readonly in_ms: number
}

interface Outcome {
  readonly offered: number
  readonly letIn: number
  /** Of payments that were begun after the first five seconds. */
  readonly made: number
  readonly p99_ms: number
}

/** So many payments begin per second, of which the hub can make `capacity`. */
function play(offered: number, capacity: number, seconds: number): Outcome {
  let now_ms = start_ms
  const shedding = openShedding(600, () => now_ms)
  const queue: Trip[] = []
  let head = 0
  const between: Trip[] = []
  const took_ms: number[] = []
  const outcome = { offered: 0, letIn: 0 }
  let due = 0
  let power = 0
  let made = 0
  for (; now_ms < start_ms + seconds * 1_000; now_ms += turn_ms) {
    for (due += (offered * turn_ms) / 1_000; due >= 1; due -= 1) {
      outcome.offered += 1
      if (shedding.sheds('greenbank', 'HALF')) continue
      outcome.letIn += 1
      queue.push({ begun_ms: now_ms, trip: 1, in_ms: now_ms })
    }
    while ((between[0]?.in_ms ?? Infinity) <= now_ms) queue.push(...between.splice(0, 1))
    for (power += (capacity * trips * turn_ms) / 1_000; power >= 1; power -= 1) {
      const next = queue[head]
      if (next === undefined) continue
      head += 1
      shedding.noted('TransferPrepared', now_ms - next.in_ms + base_ms)
      if (next.trip < trips) {
        between.push({ ...next, trip: next.trip + 1, in_ms: now_ms + base_ms })
      } else if (now_ms > start_ms + 5_000) {
        made += 1
        took_ms.push(now_ms + base_ms - next.begun_ms)
      }
    }
  }
  took_ms.sort((a, b) => a - b)
  const p99_ms = took_ms[Math.floor(took_ms.length * 0.99)] ?? 0
  return { ...outcome, made: made / (seconds - 5), p99_ms }
}

test('beyond what the hub can do it makes as much as it can, and what is let in is served soon', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(100, 400),
      fc.double({ min: 1.1, max: 3, noNaN: true }),
      (capacity, times) => {
        const { made, p99_ms } = play(capacity * times, capacity, 15)
        expect(made).toBeGreaterThan(0.95 * capacity)
        // Six times a quarter of the bound, and what the trips take by themselves.
        expect(p99_ms).toBeLessThan(1_500)
      },
    ),
    { numRuns: 12 },
  )
})

test('below what the hub can do nothing is refused', () => {
  for (const part of [0.3, 0.6, 0.9]) {
    const { offered, letIn } = play(400 * part, 400, 10)
    expect(letIn).toBe(offered)
  }
})

test('the longer messages take the more is refused: what asks, then quotes, then transfers', () => {
  const refusedAt = (standing_ms: number) => {
    let now_ms = start_ms
    const shedding = openShedding(800, () => now_ms)
    const refused = { HALF: 0, MOST: 0, WHOLE: 0 }
    for (const seconds = start_ms + 10_000; now_ms < seconds; now_ms += 5) {
      shedding.noted('TransferPrepared', standing_ms)
      for (const shed of ['HALF', 'MOST', 'WHOLE'] as const) {
        if (shedding.sheds('greenbank', shed) && now_ms > seconds - 500) refused[shed] += 1
      }
    }
    return refused
  }
  expect(refusedAt(150)).toEqual({ HALF: 0, MOST: 0, WHOLE: 0 })
  expect(refusedAt(300)).toEqual({ HALF: 99, MOST: 0, WHOLE: 0 })
  expect(refusedAt(600)).toEqual({ HALF: 99, MOST: 99, WHOLE: 0 })
  expect(refusedAt(1_200)).toEqual({ HALF: 99, MOST: 99, WHOLE: 99 })
})

test('after a pause everything is let in', () => {
  let now_ms = start_ms
  const shedding = openShedding(800, () => now_ms)
  for (; now_ms < start_ms + 5_000; now_ms += 5) {
    shedding.noted('TransferPrepared', 3_000)
    shedding.sheds('greenbank', 'WHOLE')
  }
  expect(shedding.sheds('greenbank', 'WHOLE')).toBe(true)
  now_ms += 10_000
  expect(shedding.sheds('greenbank', 'WHOLE')).toBe(false)
})
