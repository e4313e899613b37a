import { expect, test } from '@jest/globals'
import { openGuesses } from './guesses.ts'

const secret = Buffer.from('right')
const guess = Buffer.from('wrong')

test('After the maximum of wrong secrets no new secret is checked until the minute is over', () => {
  const guesses = openGuesses({ wrong_max: 2 })
  guesses.wrong('a', 1_000)
  expect(guesses.mayTry('a', guess, 1_000)).toBe(true)
  guesses.wrong('a', 2_000)
  expect(guesses.mayTry('a', guess, 60_999)).toBe(false)
  expect(guesses.mayTry('b', guess, 60_999)).toBe(true)
  expect(guesses.mayTry('a', guess, 61_000)).toBe(true)
})

test('A secret that was correct before is checked while others are guessed', () => {
  const guesses = openGuesses({ wrong_max: 1 })
  guesses.right(secret)
  guesses.wrong('a', 0)
  expect(guesses.mayTry('a', secret, 0)).toBe(true)
  expect(guesses.mayTry('a', guess, 0)).toBe(false)
})

test('The number of remembered clients is bounded', () => {
  const guesses = openGuesses({ wrong_max: 1 })
  guesses.wrong('first', 0)
  for (let n = 0; n < 10_000; n += 1) guesses.wrong(`client ${n}`, 0)
  expect(guesses.mayTry('first', guess, 0)).toBe(true)
  expect(guesses.mayTry('client 9999', guess, 0)).toBe(false)
})

test('Wrong secrets in several processes are counted together', () => {
  const [one, other] = [openGuesses({ wrong_max: 4 }), openGuesses({ wrong_max: 4 })]
  for (const each of [one, one, other]) each.wrong('a', 0)
  expect(one.shared.admitted().get('a')).toBe(2)
  expect(other.mayTry('a', guess, 0)).toBe(true)
  other.shared.learn('a', { admitted: 2, atWork: 0 })
  expect(other.mayTry('a', guess, 0)).toBe(true)
  other.wrong('a', 0)
  expect(other.mayTry('a', guess, 0)).toBe(false)
  // Received counts are not published as own counts.
  expect(other.shared.admitted().get('a')).toBe(2)
  expect(other.mayTry('a', guess, 60_000)).toBe(true)
})
