import { openLog } from '@causeway/runtime'
import { expect, test } from '@jest/globals'
import type { Model } from './domain/model.ts'
import { fees } from '../testing/fees.ts'
import { tellChanges } from './tell.ts'

const model: Model = { ...fees, id: 7, isActive: true }

/** What the ledger is told of fees: "currency percentage", when the accounts are opened or refused. */
async function feesTold(changed: Model, areAccountsRefused = false): Promise<readonly string[]> {
  const said: string[] = []
  const refusal = areAccountsRefused ? { reason: 'INVALID', detail: 'no currency' } : null
  await tellChanges({
    store: {
      all: () => Promise.resolve([changed]),
      toTell: () => Promise.resolve([{ model: changed, change: '1' }]),
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
  expect(await feesTold(model)).toEqual(['USD 0.6'])
})

test('no fee is set whose accounts were refused, but one that is over still ends', async () => {
  expect(await feesTold(model, true)).toEqual([])
  expect(await feesTold({ ...model, isActive: false }, true)).toEqual(['USD 0'])
})

test('a model without currency has no fee, whatever was stored of it', async () => {
  expect(await feesTold({ ...model, currency: '' })).toEqual([' 0'])
})
