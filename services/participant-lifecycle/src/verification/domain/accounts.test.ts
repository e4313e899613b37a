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
  ] as const)('of %s on the debit side %o', (step, made) => {
    expect(journalOf({ side: 'DEBIT', step, amount: 5n }).get(7)).toEqual({ ...none, ...made })
  })

  test('the same on the credit side, added up over all slices', () => {
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

  test('there are none where the account holds what its journal makes', () => {
    expect(balanceDifferences([{ ...account, postedDebits: 5n }], journal)).toEqual([])
    expect(balanceDifferences([account], new Map())).toEqual([])
  })

  test('are told for each of the four balances', () => {
    const held = { ...account, pendingCredits: 1n }
    expect(balanceDifferences([held], journal)).toEqual([
      { account: held, kind: 'postedDebits', journal: 5n },
      { account: held, kind: 'pendingCredits', journal: 0n },
    ])
  })

  test('are accounts that the journal moves and nobody holds', () => {
    expect(unknownAccounts([account], journal)).toEqual([])
    expect(unknownAccounts([], journal)).toEqual([7])
  })

  test('are currencies whose debits are not their credits, each currency by itself', () => {
    const payer = { ...account, postedDebits: 5n, pendingDebits: 2n }
    const payee = { ...account, id: 8, postedCredits: 5n, pendingCredits: 2n }
    expect(currencyDifferences([payer, payee])).toEqual([])
    expect(currencyDifferences([payer, { ...payee, pendingCredits: 3n }])).toEqual([
      { currency: 'USD', kind: 'pending', debits: 2n, credits: 3n },
    ])
    expect(currencyDifferences([payer, { ...payee, currency: 'EUR' }])).toHaveLength(4)
  })
})
