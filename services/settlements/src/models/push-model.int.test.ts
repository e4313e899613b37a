/** Pushes of models to participant-lifecycle: each change once, and none is lost. */
import { schemaOf } from '@causeway/runtime'
import { openLog } from '@causeway/process'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { fees } from '../testing/fees.ts'
import { openModelStore, type ModelStore } from './store.ts'
import { pushChanges, type PushParts } from './push-model.ts'

let parts: TestParts
let store: ModelStore
let telling: PushParts
/** The calls in their order. */
let calls: string[]
/** Runs in the ledger before it answers. */
let meanwhile: () => Promise<unknown>

beforeEach(async () => {
  parts = await openTestParts()
  const db = await parts.openDatabase({
    url: '',
    ...schemaOf('settlements'),
    connections_max: 2,
  })
  store = openModelStore(db, parts.bus)
  calls = []
  meanwhile = () => Promise.resolve()
  telling = {
    store,
    participants: {
      AddModelAccounts({ currency }) {
        calls.push(`accounts of ${currency}`)
        return Promise.resolve({ refusal: null })
      },
    },
    ledger: {
      SetModelRule: () => Promise.resolve({ refusal: null }),
      async SetInterchangeFee({ rule }) {
        calls.push(`fee of ${rule?.percentage ?? 'none'}`)
        await meanwhile()
        return { refusal: null }
      },
    },
    log: openLog({ name: 'test', level: 'silent' }),
    signal: new AbortController().signal,
  }
})

afterEach(() => parts.stop())

test('A pushed change is not pushed again', async () => {
  await store.create(fees, 'operator')
  await pushChanges(telling)
  await pushChanges(telling)
  expect(calls).toEqual(['accounts of USD', 'fee of 0.6'])
})

test('A change stored during a push is pushed next', async () => {
  await store.create(fees, 'operator')
  meanwhile = () => store.update('FEES', { isActive: false, windowCron: undefined }, 'operator')
  await pushChanges(telling)
  meanwhile = () => Promise.resolve()
  await pushChanges(telling)
  expect(calls).toEqual(['accounts of USD', 'fee of 0.6', 'accounts of USD', 'fee of none'])
})
