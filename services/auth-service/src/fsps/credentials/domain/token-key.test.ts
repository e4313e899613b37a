import { expect, test } from '@jest/globals'
import { publishedFrom, signing } from './token-key.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const key = (kid: string, hours: number) => ({
  kid,
  signsUntil: new Date(now.getTime() + hours * 3_600_000),
})

test('The key with the latest end of signing signs', () => {
  expect(signing([key('a', 1), key('c', 3), key('b', 2)], now)?.kid).toBe('c')
})

test('At its end a key no longer signs', () => {
  expect(signing([key('a', 0)], now)).toBeUndefined()
  expect(signing([], now)).toBeUndefined()
})

test('A key is published for longer than any of its tokens can be valid', () => {
  const longestToken_ms = 3_600_000
  expect(now.getTime() - publishedFrom(now).getTime()).toBeGreaterThan(longestToken_ms)
})
