import { expect, test } from '@jest/globals'
import { unpaidOf, type UnpaidEvent } from './unpaid.ts'

const on = { accountId: 5 }
const debt = (batch: bigint, amount: bigint): UnpaidEvent => ({
  ...on,
  type: 'DEBT',
  batch,
  amount,
})
const funds = (
  type: 'RESERVE' | 'POST' | 'VOID',
  batch: bigint,
  entryId: string,
  amount: bigint,
): UnpaidEvent => ({ ...on, type, batch, entryId, amount })

const held = [funds('RESERVE', 1n, 'before', 70n), debt(2n, 100n)]

test.each<readonly [string, readonly UnpaidEvent[], bigint, bigint]>([
  ['a debt alone is unpaid since its batch', [debt(2n, 100n)], 100n, 2n],
  ['a second debt is added to the first', [debt(2n, 100n), debt(3n, 5n)], 105n, 2n],
  ['funds out that were held before are added', held, 170n, 2n],
  ['… and leave it when they are committed', [...held, funds('POST', 3n, 'before', 70n)], 100n, 2n],
  ['… and when they are aborted', [...held, funds('VOID', 3n, 'before', 70n)], 100n, 2n],
  [
    'funds out held later pay the debt',
    [debt(2n, 100n), funds('RESERVE', 3n, 'a', 60n), funds('POST', 4n, 'a', 60n)],
    40n,
    2n,
  ],
  [
    'funds out held later and aborted pay nothing',
    [debt(2n, 100n), funds('RESERVE', 3n, 'a', 60n), funds('VOID', 4n, 'a', 60n)],
    100n,
    2n,
  ],
  [
    'a paid debt is gone, and the next debt is the first again',
    [debt(2n, 9n), funds('RESERVE', 3n, 'a', 60n), funds('POST', 3n, 'a', 60n), debt(7n, 1n)],
    1n,
    7n,
  ],
])('%s', (_, events, unpaid, since) => {
  expect(unpaidOf(events).get(5)).toMatchObject({ unpaid, since })
})
