import { describe, expect, test } from '@jest/globals'
import {
  addSums,
  balanceDifferences,
  currencyDifferences,
  unknownAccounts,
  type HeldAccount,
  type Journal,
  type StepSum,
} from './accounts.ts'

const none = { postedDebits: 0n, pendingDebits: 0n, postedCredits: 0n, pendingCredits: 0n }
const account: HeldAccount = {
  ...none,
  id: 7,
  participant: 'greenbank',
  type: 'POSITION',
  currency: 'USD',
  unpaid: 0n,
  unpaidSince: 0n,
}

function journalOf(...sums: readonly Omit<StepSum, 'accountId'>[]): Journal {
  const journal: Journal = new Map()
  for (const sum of sums) addSums(journal, [{ accountId: 7, ...sum }])
  return journal
}

describe('the lines of the journal make', () => {
  test.each([
    ['RESERVE', { pendingDebits: 5n }],
    ['POST', { pendingDebits: -5n, postedDebits: 5n }],
    ['VOID', { pendingDebits: -5n }],
    ['MOVE', { postedDebits: 5n }],
    ['GROSS_PAYER', { postedDebits: 5n }],
    ['GROSS_PAYEE', { postedDebits: 5n }],
  ] as const)('A line of %s on the debit side makes %o', (step, made) => {
    expect(journalOf({ side: 'DEBIT', step, amount: 5n }).get(7)).toEqual({ ...none, ...made })
  })

  test('Lines on the credit side are summed over all slices', () => {
    const journal = journalOf(
      { side: 'CREDIT', step: 'RESERVE', amount: 9n },
      { side: 'CREDIT', step: 'POST', amount: 4n },
      { side: 'DEBIT', step: 'MOVE', amount: 1n },
      { side: 'CREDIT', step: 'VOID', amount: 2n },
    )
    const made = { postedDebits: 1n, pendingDebits: 0n, postedCredits: 4n, pendingCredits: 3n }
    expect(journal.get(7)).toEqual(made)
  })
})

describe('differences', () => {
  const journal = journalOf({ side: 'DEBIT', step: 'MOVE', amount: 5n })

  test('An account that matches its journal has no difference', () => {
    expect(balanceDifferences([{ ...account, postedDebits: 5n }], journal)).toEqual([])
    expect(balanceDifferences([account], new Map())).toEqual([])
  })

  test('Each of the four balances is compared', () => {
    const held = { ...account, pendingCredits: 1n }
    expect(balanceDifferences([held], journal)).toEqual([
      { account: held, kind: 'postedDebits', journal: 5n },
      { account: held, kind: 'pendingCredits', journal: 0n },
    ])
  })

  test('An account that only the journal knows is a difference', () => {
    expect(unknownAccounts([account], journal)).toEqual([])
    expect(unknownAccounts([], journal)).toEqual([7])
  })

  test('Debits and credits are compared for each currency', () => {
    const payer = { ...account, postedDebits: 5n, pendingDebits: 2n }
    const payee = { ...account, id: 8, postedCredits: 5n, pendingCredits: 2n }
    expect(currencyDifferences([payer, payee])).toEqual([])
    expect(currencyDifferences([payer, { ...payee, pendingCredits: 3n }])).toEqual([
      { currency: 'USD', kind: 'pending', debits: 2n, credits: 3n },
    ])
    expect(currencyDifferences([payer, { ...payee, currency: 'EUR' }])).toHaveLength(4)
  })
})
