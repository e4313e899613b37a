import { openLog } from '@causeway/runtime'
import { expect, test } from '@jest/globals'
import type { Model } from './domain/model.ts'
import { tellChanges } from './tell.ts'

const fees: Model = {
  id: 7,
  name: 'FEES',
  isActive: true,
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'INTERCHANGE_FEE',
  settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
  autoPositionReset: true,
  feePercentage: 6_000n,
  windowCron: null,
}

/** What the ledger is told of fees: "currency percentage", when the accounts are opened or refused. */
async function feesTold(model: Model, areAccountsRefused = false): Promise<readonly string[]> {
  const said: string[] = []
  const refusal = areAccountsRefused ? { reason: 'INVALID', detail: 'no currency' } : null
  await tellChanges({
    store: {
      all: () => Promise.resolve([model]),
      toTell: () => Promise.resolve([{ model, change: '1' }]),
      told: () => Promise.resolve(),
    },
    participants: { AddModelAccounts: () => Promise.resolve({ refusal }) },
    ledger: {
      SetInterchangeFee({ currency, percentage }) {
        said.push(`${currency} ${percentage}`)
        return Promise.resolve({ refusal: null })
      },
    },
    log: openLog({ name: 'test', level: 'silent' }),
    signal: new AbortController().signal,
  })
  return said
}

test('the ledger is told of a fee when its accounts are there', async () => {
  expect(await feesTold(fees)).toEqual(['USD 0.6'])
})

test('no fee is set whose accounts were refused, but one that is over still ends', async () => {
  expect(await feesTold(fees, true)).toEqual([])
  expect(await feesTold({ ...fees, isActive: false }, true)).toEqual(['USD 0'])
})

test('a model without currency has no fee, whatever was stored of it', async () => {
  expect(await feesTold({ ...fees, currency: '' })).toEqual([' 0'])
})
