import { expect, test } from '@jest/globals'
import { callersOf, transfersService } from './index.ts'

test('a method is called by the services that are named for it', () => {
  expect(callersOf('/causeway.participant_lifecycle.v1.Ledger/ProcessTransferPrepare')).toEqual([
    'transfers',
    'participant-lifecycle',
  ])
})

test('nobody may call what is not known', () => {
  expect(callersOf('/causeway.participant_lifecycle.v1.Ledger/Empty')).toEqual([])
})

test('what only asks is known by its contract', () => {
  const { GetTransferStates } = transfersService
  expect(GetTransferStates.options.idempotency_level).toBe('NO_SIDE_EFFECTS')
})
