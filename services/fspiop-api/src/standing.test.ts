import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openStanding, type Standing } from './standing.ts'

const start_ms = 1_700_000_000_000

/** So many events within the second that begins then. */
function hear(standing: Standing, name: string, ages_ms: readonly number[], at_ms: number): void {
  ages_ms.forEach((age_ms, at) => {
    standing.heard(name, age_ms, at_ms + Math.floor((at * 1_000) / ages_ms.length))
  })
}

const ages = (count: number, age_ms: number) => Array.from({ length: count }, () => age_ms)

test('what all messages of a second waited is told in the next one', () => {
  const standing = openStanding()
  hear(standing, 'TransferPrepared', ages(100, 900), start_ms)
  expect(standing.standing_ms(start_ms + 999)).toBe(0)
  expect(standing.standing_ms(start_ms + 1_000)).toBe(900)
})

test('one quick message shows that nothing stands', () => {
  const standing = openStanding()
  hear(standing, 'TransferPrepared', [...ages(100, 9_000), 5], start_ms)
  expect(standing.standing_ms(start_ms + 1_000)).toBe(5)
})

test('a kind that stands is not hidden by one that is quick', () => {
  const standing = openStanding()
  hear(standing, 'QuoteRequestAccepted', ages(100, 10), start_ms)
  const slow = openStanding()
  for (let at = 0; at < 100; at++) {
    slow.heard('QuoteRequestAccepted', 10, start_ms + at)
    slow.heard('TransferPrepared', 4_000, start_ms + at)
  }
  expect(standing.standing_ms(start_ms + 1_000)).toBe(10)
  expect(slow.standing_ms(start_ms + 1_000)).toBe(4_000)
})

test('a few old ones that come again are no crowd', () => {
  const standing = openStanding()
  hear(standing, 'TransferPrepared', ages(19, 60_000), start_ms)
  expect(standing.standing_ms(start_ms + 1_000)).toBe(0)
})

test('it is over with the first second in which few are heard, also when nothing is', () => {
  const standing = openStanding()
  hear(standing, 'TransferPrepared', ages(100, 900), start_ms)
  expect(standing.standing_ms(start_ms + 1_999)).toBe(900)
  const quiet = openStanding()
  hear(quiet, 'TransferPrepared', ages(100, 900), start_ms)
  expect(quiet.standing_ms(start_ms + 2_000)).toBe(0)
  const recovered = openStanding()
  hear(recovered, 'TransferPrepared', ages(100, 900), start_ms)
  hear(recovered, 'TransferPrepared', ages(100, 20), start_ms + 1_000)
  expect(recovered.standing_ms(start_ms + 2_000)).toBe(20)
})

test('a clock that is set back does not make it last', () => {
  const standing = openStanding()
  hear(standing, 'TransferPrepared', ages(100, 900), start_ms)
  expect(standing.standing_ms(start_ms + 1_000)).toBe(900)
  expect(standing.standing_ms(start_ms - 3_600_000)).toBe(0)
  hear(standing, 'TransferPrepared', ages(100, 700), start_ms - 3_600_000)
  expect(standing.standing_ms(start_ms - 3_599_000)).toBe(700)
})

test('it never tells more than the quickest of a crowd took', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { minLength: 20, maxLength: 200 }), (heard) => {
      const standing = openStanding()
      hear(standing, 'TransferPrepared', heard, start_ms)
      expect(standing.standing_ms(start_ms + 1_000)).toBe(Math.min(...heard))
    }),
  )
})
