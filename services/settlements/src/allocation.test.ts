import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { modelFor, settlesOf, type ModelChoice } from './allocation.ts'

const model: ModelChoice = {
  id: 5,
  name: 'DEFERREDNET',
  isActive: true,
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  ledgerAccountType: 'POSITION',
}
const byDefault: ModelChoice = { ...model, id: 1, name: 'DEFAULT', currency: '' }

test("A currency's own model takes precedence over the default model", () => {
  expect(modelFor([byDefault, model], 'USD')).toBe(model)
  expect(modelFor([byDefault, model], 'EUR')).toBe(byDefault)
  expect(modelFor([model], 'EUR')).toBeUndefined()
})

test('Inactive models and models of other account types serve no currency', () => {
  const inactive = { ...model, isActive: false }
  const fees = { ...model, ledgerAccountType: 'INTERCHANGE_FEE' }
  expect(modelFor([inactive, fees], 'USD')).toBeUndefined()
  expect(modelFor([inactive, fees, byDefault], 'USD')).toBe(byDefault)
})

test('Of several models the one with the lowest id is chosen, in any order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(), { minLength: 1 }), (ids) => {
      const models = ids.map((id) => ({ ...model, id }))
      expect(modelFor(models, 'USD')?.id).toBe(Math.min(...ids))
    }),
  )
})

test.each([
  ['NET', 'BILATERAL', 'DEFERRED', 'NET'],
  ['NET', 'MULTILATERAL', 'DEFERRED', 'NET'],
  ['GROSS', 'BILATERAL', 'IMMEDIATE', 'GROSS_IMMEDIATE'],
  ['GROSS', 'MULTILATERAL', 'IMMEDIATE', 'GROSS_IMMEDIATE_MULTILATERAL'],
  ['GROSS', 'BILATERAL', 'DEFERRED', 'GROSS_DEFERRED'],
  ['GROSS', 'MULTILATERAL', 'DEFERRED', 'GROSS_DEFERRED'],
] as const)('%s %s %s settles %s', (granularity, interchange, delay, settles) => {
  expect(settlesOf({ ...model, granularity, interchange, delay })).toBe(settles)
})
