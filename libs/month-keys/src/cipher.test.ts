import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { monthOfSealed, openSealer, unseal } from './cipher.ts'

const body = Buffer.from('{"payee":"Alice"}')

test('A sealed body names its month, hides its text, and opens with the key of the month alone', () => {
  const key = randomBytes(32)
  const sealed = openSealer('2026-12', key)(body)
  expect(monthOfSealed(sealed)).toBe('2026-12')
  expect(sealed.includes('Alice')).toBe(false)
  expect(unseal(key, sealed)).toEqual(body)
  expect(() => unseal(randomBytes(32), sealed)).toThrow('unable to authenticate data')
})

test('A body that was modified anywhere does not open', () => {
  const key = randomBytes(32)
  const sealed = openSealer('2026-01', key)(body)
  for (const at of [2, 5, 24, 30, sealed.length - 1]) {
    const modified = Buffer.from(sealed)
    modified[at] = (modified[at] ?? 0) ^ 1
    expect(() => unseal(key, modified)).toThrow('unable to authenticate data')
  }
})

test('The same body is never sealed the same way twice, by one sealer or by two', () => {
  const key = randomBytes(32)
  const [one, other] = [openSealer('2026-01', key), openSealer('2026-01', key)]
  const sealed = [one(body), one(body), other(body)].map((each) => each.toString('hex'))
  expect(new Set(sealed).size).toBe(3)
})

test('JSON, white space and an empty body are no sealed bodies', () => {
  for (const text of ['', '{}', ' \n{"a":1}', '"text"', 'x'.repeat(100)]) {
    expect(monthOfSealed(Buffer.from(text))).toBeUndefined()
  }
})
