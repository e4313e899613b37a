/** The settlement models that serve a currency, asked of settlements whenever accounts are opened. */
import type { SettlementModel, settlementModelsService } from '@causeway/protos'
import type { Calls } from '@causeway/runtime'
import type { ModelPair } from './domain/create.ts'

export interface CurrencyModel extends ModelPair {
  /** Settled one by one, so that cover is always moved by each transfer. */
  readonly isGross: boolean
}

/**
 * Its own active models. Where none of them is of positions, transfers are settled by the active default
 * models without a currency, which then serve it as well.
 */
export function modelsFrom(
  settlements: Pick<Calls<typeof settlementModelsService>, 'GetSettlementModels'>,
): (currency: string) => Promise<readonly CurrencyModel[]> {
  return async (currency) => {
    const own = await settlements.GetSettlementModels({ currency, name: '' })
    const models = activeOf(own.models, currency)
    if (models.some((model) => model.ledgerAccountType === 'POSITION')) return models.map(modelOf)
    const every = await settlements.GetSettlementModels({ currency: '', name: '' })
    return [...activeOf(every.models, ''), ...models].map(modelOf)
  }
}

function activeOf(
  models: readonly SettlementModel[],
  currency: string,
): readonly SettlementModel[] {
  return models.filter((model) => model.isActive && model.currency === currency)
}

function modelOf(model: SettlementModel): CurrencyModel {
  const { ledgerAccountType, settlementAccountType } = model
  return { ledgerAccountType, settlementAccountType, isGross: model.granularity === 'GROSS' }
}
