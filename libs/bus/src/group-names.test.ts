import { expect, test } from '@jest/globals'
import { isGroupOf } from './group-names.ts'

test.each([
  ['auth-service', 'auth_service', true],
  ['auth-service', 'auth_service.consents', true],
  ['transfers', 'transfers_more', true],
  ['transfers', 'transfersx', false],
  ['transfers', 'settlements', false],
])('Of the service %s the group %s is its own: %s', (service, group, isOwn) => {
  expect(isGroupOf(service, group)).toBe(isOwn)
})
