/** Which account covers a transfer, and when none has to: by the model that it is allocated to. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  bluewallet,
  depositing,
  entryIn,
  greenbank,
  play,
  positionOf,
  reserving,
  settlementOf,
  withAccounts,
} from '../testing/scene.ts'
import type { Account } from './account.ts'
import type { LockedRows } from './book.ts'
import { isCover, ruleInForce, ruleOfModel, usualCover, type ModelRule } from './model-rule.ts'

const usd: ModelRule = {
  modelId: 5,
  currency: 'USD',
  isActive: true,
  coverType: 'SETTLEMENT',
  isChecked: true,
}
const byFees = { coverType: 'INTERCHANGE_FEE_SETTLEMENT' } as const

const feeSettlementOf = (party: typeof greenbank, changes: Partial<Account> = {}): Account => ({
  ...settlementOf(party, { creditsPosted: 0n, ...changes }),
  id: party.id * 10 + 4,
  type: 'INTERCHANGE_FEE_SETTLEMENT',
})

function outcomeOf(from: LockedRows, amount: bigint, modelId = 5): string | null {
  const settlement = { modelId, settles: 'NET' } as const
  const entry = entryIn(play(from, reserving(amount, { settlement })).answers[0])
  return entry.outcome === 'REFUSED' ? entry.reason : entry.outcome
}

const some = fc.bigInt({ min: 0n, max: 1_000n })

test('A transfer is bounded by the cap, and by the account that its model names unless the check is off', () => {
  const figures = fc.record({
    owed: some,
    cap: some,
    settlement: some,
    feeSettlement: some,
    amount: fc.bigInt({ min: 1n, max: 1_000n }),
    coverType: fc.constantFrom('SETTLEMENT' as const, 'INTERCHANGE_FEE_SETTLEMENT' as const),
    isChecked: fc.boolean(),
  })
  fc.assert(
    fc.property(figures, (given) => {
      const { owed, cap, settlement, feeSettlement, amount, coverType, isChecked } = given
      const accounts = withAccounts(
        positionOf(greenbank, { debitsPosted: owed, cap }),
        settlementOf(greenbank, { creditsPosted: settlement }),
        feeSettlementOf(greenbank, { creditsPosted: feeSettlement }),
        feeSettlementOf(bluewallet),
      )
      const from = { ...accounts, models: [{ ...usd, coverType, isChecked }] }
      const cover = coverType === 'SETTLEMENT' ? settlement : feeSettlement
      const isCovered = owed + amount <= cover || !isChecked
      const wanted = !isCovered ? 'COVER_SHORT' : owed + amount <= cap ? 'RESERVED' : 'CAP_SHORT'
      expect(outcomeOf(from, amount)).toBe(wanted)
      // What the ledger knows of one model says nothing about the transfers of another one.
      const isUsual = owed + amount <= settlement
      const usual = !isUsual ? 'COVER_SHORT' : owed + amount <= cap ? 'RESERVED' : 'CAP_SHORT'
      expect(outcomeOf(from, amount, 6)).toBe(usual)
    }),
  )
})

test('A transfer whose model names an account that the payer lacks is refused, cover checked or not', () => {
  for (const isChecked of [true, false]) {
    const from = { ...withAccounts(), models: [{ ...usd, ...byFees, isChecked }] }
    expect(outcomeOf(from, 1n)).toBe('PAYER_NO_ACCOUNT')
  }
})

test('Funds are recorded on SETTLEMENT, and on an account that a model of the currency names', () => {
  const account = feeSettlementOf(greenbank)
  const from = withAccounts(account)
  const command = { ...depositing, accountId: account.id }
  const wrong = { type: 'DECLINE', reason: 'ACCOUNT_TYPE_WRONG' }
  expect(play(from, command).answers).toEqual([wrong])
  const inEuro = { ...from, models: [{ ...usd, ...byFees, currency: 'EUR' }] }
  expect(play(inEuro, command).answers).toEqual([wrong])
  const named = { ...from, models: [{ ...usd, ...byFees }] }
  expect(play(named, command).answers).toMatchObject([{ type: 'ENTRY' }])
  expect(isCover([], 'POSITION', 'USD')).toBe(false)
})

describe('the rule in force', () => {
  const own = { ...usd, modelId: 7, isChecked: false }
  const byDefault: ModelRule = { ...usd, ...byFees, modelId: 2, currency: '' }

  test.each<readonly [string, readonly ModelRule[], unknown]>([
    ['nothing known', [], usualCover],
    ['its own model, however young', [byDefault, own], own],
    ['the oldest of its own', [usd, own], usd],
    ['its own active one', [{ ...usd, isActive: false }, own], own],
    ['the default model', [byDefault, { ...own, currency: 'EUR' }], byDefault],
    ['no active model', [{ ...own, isActive: false }], usualCover],
  ])('The rule in force with %s', (_, rules, wanted) => {
    expect(ruleInForce(rules, 'USD')).toEqual(wanted)
  })

  test('The rule of a transfer is that of its model, active or not', () => {
    expect(ruleOfModel([byDefault, { ...own, isActive: false }], 7).isChecked).toBe(false)
    expect(ruleOfModel([byDefault], 7)).toBe(usualCover)
  })
})
