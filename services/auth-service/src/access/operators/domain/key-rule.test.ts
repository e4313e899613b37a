import { expect, test } from '@jest/globals'
import { mustHaveKey } from './key-rule.ts'

function isRequired(
  rule: 'off' | 'log-in' | 'approval',
  privilege: string,
  kind: 'PERSON' | 'MACHINE' = 'PERSON',
): boolean {
  const role = { id: 'own', label: '', description: '', privileges: [privilege], isBuiltIn: false }
  const other = { ...role, id: 'other', privileges: ['*'] }
  return mustHaveKey({ kind, roles: ['own'] }, [role, other], rule)
}

test.each([
  ['*', true],
  ['APPROVE_*', true],
  ['APPROVE_MANAGE_FUNDS', true],
  ['APPROVE_MANAGE_*', true],
  ['A*', true],
  ['REJECT_*', false],
  ['VIEW_*', false],
  ['CREATE_MANAGE_FUNDS', false],
])('A person with a role that grants %s must have a key: %s', (privilege, expected) => {
  expect(isRequired('log-in', privilege)).toBe(expected)
  expect(isRequired('approval', privilege)).toBe(expected)
  expect(isRequired('off', privilege)).toBe(false)
})

test('A program needs no key', () => {
  expect(isRequired('approval', '*', 'MACHINE')).toBe(false)
})
