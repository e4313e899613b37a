import { openLog } from '@causeway/process'
import { expect, test } from '@jest/globals'
import type { Model } from './domain/model.ts'
import { fees } from '../testing/fees.ts'
import { pushChanges } from './push-model.ts'

const model: Model = { ...fees, id: 7, isActive: true }

/**
 * The fees set in the ledger, as "currency percentage", when the accounts are opened or refused.
 */
async function feesTold(changed: Model, areAccountsRefused = false): Promise<readonly string[]> {
  const calls: string[] = []
  const refusal = areAccountsRefused ? { reason: 'INVALID' as const, detail: 'no currency' } : null
  await pushChanges({
    store: {
      all: () => Promise.resolve([changed]),
      pendingPushes: () => Promise.resolve([{ model: changed, change: '1' }]),
      markPushed: () => Promise.resolve(),
    },
    participants: { AddModelAccounts: () => Promise.resolve({ refusal }) },
    ledger: {
      SetModelRule: () => Promise.resolve({ refusal: null }),
      SetInterchangeFee({ currency, rule }) {
        calls.push(`${currency} ${rule?.percentage ?? 'none'}`)
        return Promise.resolve({ refusal: null })
      },
    },
    log: openLog({ name: 'test', level: 'silent' }),
    signal: new AbortController().signal,
  })
  return calls
}

test('A fee is set in the ledger when its accounts exist', async () => {
  expect(await feesTold(model)).toEqual(['USD 0.6'])
})

test('A fee without accounts is not set, but an ended fee is still removed', async () => {
  expect(await feesTold(model, true)).toEqual([])
  expect(await feesTold({ ...model, isActive: false }, true)).toEqual(['USD none'])
})

test('A model without currency has no fee, even if one was stored', async () => {
  expect(await feesTold({ ...model, currency: '' })).toEqual([' none'])
})
