import { expect, test } from '@jest/globals'
import { greenbank, positionOf, settlementOf } from '../../testing/scene.ts'
import { availableOf, resolve, withdrawableOf, type Liquidity } from './cover.ts'

/** A deposit of 1000, of which 300 are owed by transfers, 200 by a settlement and 100 in fees. */
const liquidity: Liquidity = {
  settlement: settlementOf(greenbank, { unpaid: 200n }),
  isChecked: true,
  position: positionOf(greenbank, { debitsPending: 300n, cap: 5_000n }),
  fees: positionOf(greenbank, { debitsPosted: 100n, cap: null }),
}

test('An exclusion leaves transfers, fees and unpaid settlements covered', () => {
  expect(resolve(liquidity, { mode: 'AMOUNT', value: 400n })).toBe(400n)
  expect(resolve(liquidity, { mode: 'AMOUNT', value: 401n })).toMatchObject({
    reason: 'COVER_SHORT',
  })
})

test('Owed fees can be neither sent nor withdrawn, and receivable fees are not cover', () => {
  expect(availableOf(liquidity)).toBe(400n)
  // What the settlement left unpaid leaves by funds out.
  expect(withdrawableOf(liquidity)).toBe(600n)
  const owed = { ...liquidity, fees: positionOf(greenbank, { creditsPosted: 100n }) }
  expect(availableOf(owed)).toBe(500n)
  expect(withdrawableOf(owed)).toBe(700n)
})

test('Without the check of cover the cap alone bounds what can be sent', () => {
  expect(availableOf({ ...liquidity, isChecked: false })).toBe(4_700n)
  const capped = { ...liquidity, position: positionOf(greenbank, { cap: 300n }), isChecked: false }
  expect(availableOf(capped)).toBe(300n)
})
