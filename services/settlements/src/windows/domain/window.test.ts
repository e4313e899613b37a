import type { WindowContentState } from '@causeway/protos'
import { expect, test } from '@jest/globals'
import { missingOf, windowStateOf, type Tally } from './window.ts'

test.each<[WindowContentState, readonly WindowContentState[]]>([
  ['CLOSED', ['CLOSED']],
  ['CLOSED', ['CLOSED', 'CLOSED']],
  ['PENDING_SETTLEMENT', ['CLOSED', 'PENDING_SETTLEMENT']],
  ['PENDING_SETTLEMENT', ['CLOSED', 'SETTLED']],
  ['PENDING_SETTLEMENT', ['CLOSED', 'PENDING_SETTLEMENT', 'SETTLED']],
  ['PENDING_SETTLEMENT', ['SETTLED', 'PENDING_SETTLEMENT']],
  ['PENDING_SETTLEMENT', ['SETTLED', 'ABORTED', 'PENDING_SETTLEMENT']],
  ['PENDING_SETTLEMENT', ['SETTLED', 'ABORTED']],
  ['SETTLED', ['SETTLED', 'SETTLED']],
  ['ABORTED', ['CLOSED', 'ABORTED']],
  ['ABORTED', ['ABORTED']],
])('A window is %s when it holds %j', (state, contents) => {
  expect(windowStateOf(contents)).toBe(state)
})

const tally = (accountId: number, net: bigint, count: bigint): Tally => ({
  modelId: 1,
  accountId,
  net,
  count,
})

test('A window lacks lines until they match what the ledger has counted', () => {
  const counted = [tally(1, 6n, 2n), tally(2, -6n, 2n)]
  expect(missingOf(counted, [])).toBe(4n)
  expect(missingOf(counted, [tally(1, 10n, 1n), tally(2, -10n, 1n)])).toBe(2n)
  expect(missingOf(counted, counted)).toBe(0n)
})

test('Lines that the ledger has not counted are an error, not missing lines', () => {
  const counted = [tally(1, 6n, 2n), tally(2, -6n, 2n)]
  expect(missingOf(counted, [...counted, tally(3, 1n, 1n)])).toBeNull()
  expect(missingOf(counted, [tally(1, 6n, 3n), tally(2, -6n, 2n)])).toBeNull()
  expect(missingOf(counted, [tally(1, 5n, 2n), tally(2, -6n, 2n)])).toBeNull()
})
