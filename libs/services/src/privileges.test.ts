import { expect, test } from '@jest/globals'
import { grants } from './privileges.ts'

test('A privilege is granted by its name, by a prefix with a star, or by the star alone', () => {
  expect(grants(['VIEW_FUNDS'], 'VIEW_FUNDS')).toBe(true)
  expect(grants(['VIEW_*', 'CREATE_*'], 'CREATE_PARTICIPANT')).toBe(true)
  expect(grants(['*'], 'MANAGE_FUNDS')).toBe(true)
  expect(grants(['VIEW_*'], 'MANAGE_FUNDS')).toBe(false)
  expect(grants(['VIEW_FUNDS'], 'VIEW_FUNDS_OUT')).toBe(false)
  expect(grants([], 'VIEW_FUNDS')).toBe(false)
})
