import { expect, test } from '@jest/globals'
import { componentKeys_max, ownerFault, registerKey, type RegisteredKey } from './component-key.ts'

const wanted = { id: 'k'.repeat(43), contextId: 'quoting', publicKey: 'PEM' }
const now = new Date(1_000)
const known: RegisteredKey = { ...wanted, registeredAt: new Date(0), revoked: null }

test.each([
  ['a service for itself', 'quoting', '', ['quoting'], undefined],
  ['a service in one process with some others', 'quoting', '', ['transfers', 'quoting'], undefined],
  ['a service in one process with all others', 'quoting', '', undefined, undefined],
  ['a service for another one', 'config', '', ['quoting'], 'NOT_OWNER'],
  ['a program of the operator for itself', 'pricing', 'pricing', ['admin'], undefined],
  ['a program for another one', 'pricing', 'reports', ['admin'], 'NOT_OWNER'],
  ['a program with the name of a service', 'quoting', 'quoting', ['admin'], 'NOT_OWNER'],
  ['a program whose name is no context', 'a b', 'a b', ['admin'], 'INVALID'],
])('Whether %s may register a key', (_what, contextId, actor, callers, reason) => {
  expect(ownerFault(contextId, actor, callers)?.reason).toBe(reason)
})

test('A new key is added, and the same one again changes nothing', () => {
  const registered = registerKey(undefined, 0, wanted, now)
  expect(registered).toEqual({ type: 'ADD', key: { ...known, registeredAt: now } })
  expect(registerKey(known, 1, wanted, now)).toEqual({ type: 'KNOWN', key: known })
})

test('A key belongs to the component that registered it first', () => {
  const other = { ...wanted, contextId: 'transfers' }
  expect(registerKey(known, 0, other, now)).toMatchObject({ reason: 'KEY_EXISTS' })
})

test('A revoked key is not registered again', () => {
  const revoked = { ...known, revoked: { at: now, by: 'ada' } }
  expect(registerKey(revoked, 0, wanted, now)).toMatchObject({ reason: 'KEY_REVOKED' })
})

test('The keys of a component that are in force are limited', () => {
  const full = componentKeys_max
  expect(registerKey(undefined, full, wanted, now)).toMatchObject({ reason: 'INVALID' })
  expect(registerKey(undefined, full - 1, wanted, now)).toMatchObject({ type: 'ADD' })
})
