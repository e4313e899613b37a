import { expect, test } from '@jest/globals'
import { callersOf } from './index.ts'

test('A method may be called by the services that are named for it', () => {
  expect(callersOf('/causeway.ledger.v1.Ledger/ProcessTransferPrepare')).toEqual([
    'transfers',
    'participant-lifecycle',
  ])
})

test('An unknown method has no callers', () => {
  expect(callersOf('/causeway.ledger.v1.Ledger/Empty')).toEqual([])
})
