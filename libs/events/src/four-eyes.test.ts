import { expect, test } from '@jest/globals'
import { privilegeOfCall } from './four-eyes.ts'

test.each([
  ['CreateParticipant', 'CREATE_PARTICIPANT'],
  ['ManageFunds', 'CREATE_MANAGE_FUNDS'],
  ['UpdateAccountLimit', 'CREATE_UPDATE_ACCOUNT_LIMIT'],
  ['ApproveParticipant', 'APPROVE_PARTICIPANT'],
  ['ApproveManageFunds', 'APPROVE_MANAGE_FUNDS'],
])('%s needs %s', (call, privilege) => {
  expect(privilegeOfCall(call)).toBe(privilege)
})

test('Rejecting a change needs another privilege than approving it', () => {
  expect(privilegeOfCall('ApproveManageFunds', 'REJECT')).toBe('REJECT_MANAGE_FUNDS')
})
