import { expect, test } from '@jest/globals'
import { noTries, withTry, type Try } from './tries.ts'

function attempt(began_ms: number): Try {
  return { began_ms, duration_ms: 5, httpStatus: 503, error: 'answered 503' }
}

function after(count: number): readonly Try[] {
  return Array.from({ length: count }, (_, at) => attempt(at)).reduce(withTry, noTries)
}

test('Attempts are stored in order', () => {
  expect(after(3).map(({ began_ms }) => began_ms)).toEqual([0, 1, 2])
})

test('Of many attempts the first three and the last ones are stored', () => {
  const retained = after(300).map(({ began_ms }) => began_ms)
  expect(retained).toHaveLength(50)
  expect(retained.slice(0, 4)).toEqual([0, 1, 2, 253])
  expect(retained.at(-1)).toBe(299)
})
