import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openStanding, type Standing } from './standing.ts'

const start_ms = 1_700_000_000_000

/** Events of these ages, spread evenly over the time; the last one at its end. */
function note(standing: Standing, name: string, ages_ms: readonly number[], over_ms = 99): void {
  ages_ms.forEach((age_ms, at) => {
    standing.noted(name, age_ms, start_ms + Math.floor((at * over_ms) / (ages_ms.length - 1)))
  })
}

const ages = (count: number, age_ms: number) => Array.from({ length: count }, () => age_ms)

test('an interval ends after 100 ms, or later with its tenth event', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', ages(40, 900), 99)
  expect(standing.at(start_ms + 99)).toBe(0)
  expect(standing.at(start_ms + 100)).toBe(900)

  const slow = openStanding()
  note(slow, 'TransferPrepared', ages(9, 900), 800)
  expect(slow.at(start_ms + 800)).toBe(0)
  slow.noted('TransferPrepared', 900, start_ms + 810)
  expect(slow.at(start_ms + 810)).toBe(900)
})

test('ten events at once tell something, however long nothing came before and after them', () => {
  const standing = openStanding()
  for (const at_ms of [start_ms, start_ms + 5_000, start_ms + 10_000]) {
    for (let n = 0; n < 10; n++) standing.noted('TransferPrepared', 900, at_ms)
    expect(standing.at(at_ms + 99)).toBe(0)
    expect(standing.at(at_ms + 1_500)).toBe(900)
  }
})

test('one quick message shows that nothing stands', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', [5, ...ages(100, 9_000)])
  expect(standing.at(start_ms + 100)).toBe(5)
})

test('a kind that stands is not hidden by one that is quick', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', ages(100, 4_000))
  note(standing, 'QuoteRequestAccepted', ages(100, 10))
  expect(standing.at(start_ms + 100)).toBe(4_000)
})

test('what a kind told counts for a second, also while other kinds tell something new', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', ages(100, 4_000))
  expect(standing.at(start_ms + 100)).toBe(4_000)
  note(standing, 'QuoteRequestAccepted', ages(100, 10), 900)
  expect(standing.at(start_ms + 1_100)).toBe(4_000)
  expect(standing.at(start_ms + 1_101)).toBe(10)
  expect(standing.at(start_ms + 2_000)).toBe(0)
})

test('fewer than ten events of a kind within a second tell nothing', () => {
  const standing = openStanding()
  for (let at = 0; at < 100; at++) {
    standing.noted('TransferPrepared', 60_000, start_ms + at * 112)
    expect(standing.at(start_ms + at * 112)).toBe(0)
  }
})

test('a clock that is set back begins anew', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', ages(100, 900))
  const back_ms = start_ms - 3_600_000
  expect(standing.at(back_ms)).toBe(0)
  for (let at = 0; at <= 20; at++) standing.noted('TransferPrepared', 700, back_ms + at * 5)
  expect(standing.at(back_ms + 100)).toBe(700)
})

test('it is what the quickest of enough took', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { minLength: 10, maxLength: 200 }), (heard) => {
      const standing = openStanding()
      note(standing, 'TransferPrepared', heard)
      expect(standing.at(start_ms + 100)).toBe(Math.min(...heard))
    }),
  )
})
