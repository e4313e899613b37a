/** What participant-lifecycle is told of models: each change, once, and none is lost. */
import { openLog } from '@causeway/runtime'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { fees } from '../testing/fees.ts'
import { openModelStore, type ModelStore } from './store.ts'
import { tellChanges, type TellingParts } from './tell.ts'

let parts: TestParts
let store: ModelStore
let telling: TellingParts
/** In the order in which it was said. */
let said: string[]
/** Done by the ledger before it answers. */
let meanwhile: () => Promise<unknown>

beforeEach(async () => {
  parts = await openTestParts()
  const db = await parts.openDatabase({
    url: '',
    schema: 'settlements',
    migrations: new URL('../../migrations/', import.meta.url),
    connections_max: 2,
  })
  store = openModelStore(db, parts.bus)
  said = []
  meanwhile = () => Promise.resolve()
  telling = {
    store,
    participants: {
      AddModelAccounts({ currency }) {
        said.push(`accounts of ${currency}`)
        return Promise.resolve({ refusal: null })
      },
    },
    ledger: {
      async SetInterchangeFee({ percentage }) {
        said.push(`fee of ${percentage}`)
        await meanwhile()
        return { refusal: null }
      },
    },
    log: openLog({ name: 'test', level: 'silent' }),
    signal: new AbortController().signal,
  }
})

afterEach(() => parts.stop())

test('what was told is not told again', async () => {
  await store.create(fees, 'operator')
  await tellChanges(telling)
  await tellChanges(telling)
  expect(said).toEqual(['accounts of USD', 'fee of 0.6'])
})

test('a change that comes while an earlier one is told is told next', async () => {
  await store.create(fees, 'operator')
  meanwhile = () => store.update('FEES', { isActive: false, windowCron: undefined }, 'operator')
  await tellChanges(telling)
  meanwhile = () => Promise.resolve()
  await tellChanges(telling)
  expect(said).toEqual(['accounts of USD', 'fee of 0.6', 'accounts of USD', 'fee of 0'])
})
