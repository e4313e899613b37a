import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openStanding, type Standing } from './standing.ts'

const start_ms = 1_700_000_000_000

/** Events of these ages, spread evenly over the time. */
function note(standing: Standing, name: string, ages_ms: readonly number[], over_ms = 100): void {
  ages_ms.forEach((age_ms, at) => {
    standing.noted(name, age_ms, start_ms + Math.floor((at * over_ms) / ages_ms.length))
  })
}

const ages = (count: number, age_ms: number) => Array.from({ length: count }, () => age_ms)

test('an interval ends after 100 ms when there were 20 events of a kind, and what all of them waited counts', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', ages(20, 900))
  expect(standing.ended(start_ms + 99)).toBeUndefined()
  expect(standing.ended(start_ms + 100)).toEqual({ length_ms: 100, standing_ms: 900 })
  expect(standing.ended(start_ms + 101)).toBeUndefined()
})

test('one quick message shows that nothing stands', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', [...ages(100, 9_000), 5])
  expect(standing.ended(start_ms + 100)).toMatchObject({ standing_ms: 5 })
})

test('a kind that stands is not hidden by one that is quick', () => {
  const standing = openStanding()
  note(standing, 'QuoteRequestAccepted', ages(100, 10))
  note(standing, 'TransferPrepared', ages(100, 4_000))
  expect(standing.ended(start_ms + 100)).toMatchObject({ standing_ms: 4_000 })
})

test('with few events an interval lasts a second, and fewer than 20 of a kind tell nothing', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', ages(19, 60_000))
  expect(standing.ended(start_ms + 999)).toBeUndefined()
  expect(standing.ended(start_ms + 1_000)).toEqual({ length_ms: 1_000, standing_ms: 0 })
})

test('a clock that is set back ends the interval and tells nothing', () => {
  const standing = openStanding()
  note(standing, 'TransferPrepared', ages(100, 900))
  const back_ms = start_ms - 3_600_000
  expect(standing.ended(back_ms)).toEqual({ length_ms: 100, standing_ms: 0 })
  for (let at = 0; at < 20; at++) standing.noted('TransferPrepared', 700, back_ms + at)
  expect(standing.ended(back_ms + 100)).toMatchObject({ standing_ms: 700 })
})

test('it is what the quickest of enough took', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { minLength: 20, maxLength: 200 }), (heard) => {
      const standing = openStanding()
      note(standing, 'TransferPrepared', heard)
      expect(standing.ended(start_ms + 100)?.standing_ms).toBe(Math.min(...heard))
    }),
  )
})
