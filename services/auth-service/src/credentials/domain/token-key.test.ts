import { expect, test } from '@jest/globals'
import { shownFrom, signing } from './token-key.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const key = (kid: string, hours: number) => ({
  kid,
  signsUntil: new Date(now.getTime() + hours * 3_600_000),
})

test('the key that signs longest is the one that signs', () => {
  expect(signing([key('a', 1), key('c', 3), key('b', 2)], now)?.kid).toBe('c')
})

test('at the moment of its end a key signs no more', () => {
  expect(signing([key('a', 0)], now)).toBeUndefined()
  expect(signing([], now)).toBeUndefined()
})

test('a key is shown for longer than any of its tokens can be valid', () => {
  const longestToken_ms = 3_600_000
  expect(now.getTime() - shownFrom(now).getTime()).toBeGreaterThan(longestToken_ms)
})
