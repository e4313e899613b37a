import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openSealer, sealedWith, thumbprintOf, unseal, type MonthKey } from './cipher.ts'

const body = Buffer.from('{"payee":"Alice"}')

function monthKey(month: string): MonthKey {
  const key = randomBytes(32)
  return { month, key, thumbprint: thumbprintOf(key) }
}

test('A sealed body names its month and key, hides its text, and opens with that key alone', () => {
  const made = monthKey('2026-12')
  const sealed = openSealer(made)(body)
  const { month, thumbprint } = made
  expect(sealedWith(sealed)).toEqual({ month, thumbprint })
  expect(sealed.includes('Alice')).toBe(false)
  expect(unseal(made.key, sealed)).toEqual(body)
  expect(unseal(randomBytes(32), sealed)).toBeUndefined()
})

test('A body that was modified anywhere does not open', () => {
  const made = monthKey('2026-01')
  const sealed = openSealer(made)(body)
  for (const at of [2, 5, 15, 32, 38, sealed.length - 1]) {
    const modified = Buffer.from(sealed)
    modified[at] = (modified[at] ?? 0) ^ 1
    expect(unseal(made.key, modified)).toBeUndefined()
  }
})

test('The same body is never sealed the same way twice, by one sealer or by two', () => {
  const made = monthKey('2026-01')
  const [one, other] = [openSealer(made), openSealer(made)]
  const sealed = [one(body), one(body), other(body)].map((each) => each.toString('hex'))
  expect(new Set(sealed).size).toBe(3)
})

test('JSON, white space and an empty body are no sealed bodies', () => {
  for (const text of ['', '{}', ' \n{"a":1}', '"text"', 'x'.repeat(100)]) {
    expect(sealedWith(Buffer.from(text))).toBeUndefined()
  }
})
