import { expect, test } from '@jest/globals'
import { differences } from './difference.ts'

test('Only members that differ are listed, by their path', () => {
  const before = { isActive: false, roles: ['viewer'], limit: { value: '100' }, name: 'mary' }
  const after = {
    isActive: true,
    roles: ['viewer', 'maker'],
    limit: { value: '100' },
    name: 'mary',
  }
  expect(differences(before, after)).toEqual([
    { path: 'isActive', before: 'false', after: 'true' },
    { path: 'roles.1', before: undefined, after: 'maker' },
  ])
})

test('A new member has no value before, and a removed one no value after', () => {
  expect(differences(null, { name: 'mary' })).toEqual([
    { path: 'name', before: undefined, after: 'mary' },
  ])
  expect(differences({ roles: [], note: null }, null)).toEqual([
    { path: 'note', before: 'nothing', after: undefined },
    { path: 'roles', before: 'none', after: undefined },
  ])
  expect(differences(null, null)).toEqual([])
})

test('A record inside a text is compared by its members, and other text as a whole', () => {
  const after = { change: '{"amount":"250000","of":["a"]}', note: '{not JSON' }
  expect(differences(null, after).map(({ path, after: is }) => [path, is])).toEqual([
    ['change.amount', '250000'],
    ['change.of.0', 'a'],
    ['note', '{not JSON'],
  ])
})
