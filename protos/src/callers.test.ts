import { expect, test } from '@jest/globals'
import { callersOf, transfersService } from './index.ts'

test('A method may be called by the services that are named for it', () => {
  expect(callersOf('/causeway.participant_lifecycle.v1.Ledger/ProcessTransferPrepare')).toEqual([
    'transfers',
    'participant-lifecycle',
  ])
})

test('An unknown method has no callers', () => {
  expect(callersOf('/causeway.participant_lifecycle.v1.Ledger/Empty')).toEqual([])
})

test('A method without side effects is marked in its contract', () => {
  const { GetTransferStates } = transfersService
  expect(GetTransferStates.options.idempotency_level).toBe('NO_SIDE_EFFECTS')
})
