import { expect, test } from '@jest/globals'
import { transfersService } from './index.ts'

test('A method without side effects is marked in its contract', () => {
  const { GetTransferStates } = transfersService
  expect(GetTransferStates.options.idempotency_level).toBe('NO_SIDE_EFFECTS')
})
