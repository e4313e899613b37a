import type { SettlementModel } from '@causeway/protos'
import { expect, test } from '@jest/globals'
import { modelsFrom } from './models.ts'

const byDefault: SettlementModel = {
  id: 1,
  name: 'DEFAULTNET',
  isActive: true,
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  settlementAccountType: 'SETTLEMENT',
  autoPositionReset: true,
}
const own = { ...byDefault, id: 2, currency: 'USD' }
const fees = {
  ...own,
  id: 3,
  ledgerAccountType: 'INTERCHANGE_FEE',
  settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
} as const

/** The ledger account types of the models that serve USD. */
async function typesWith(...models: readonly SettlementModel[]): Promise<readonly string[]> {
  const GetSettlementModels = ({ currency }: { readonly currency?: string | undefined }) =>
    Promise.resolve({
      models: models.filter((one) => currency === undefined || one.currency === currency),
    })
  const found = await modelsFrom({ GetSettlementModels })('USD')
  return found.map(({ ledgerAccountType }) => ledgerAccountType)
}

test('A currency is served by its own models, or without any by the default ones', async () => {
  expect(await typesWith(byDefault, own, fees)).toEqual(['POSITION', 'INTERCHANGE_FEE'])
  expect(await typesWith(byDefault)).toEqual(['POSITION'])
  expect(await typesWith({ ...byDefault, isActive: false })).toEqual([])
})

test('A currency with only fee models uses the default models for positions', async () => {
  expect(await typesWith(byDefault, fees)).toEqual(['POSITION', 'INTERCHANGE_FEE'])
  expect(await typesWith(byDefault, { ...own, isActive: false }, fees)).toEqual([
    'POSITION',
    'INTERCHANGE_FEE',
  ])
})
