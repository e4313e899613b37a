/** The settlement models that serve a currency, asked of settlements whenever accounts are opened. */
import type { SettlementModel, settlementModelsService } from '@causeway/protos'
import type { Calls } from '@causeway/runtime'
import type { ModelPair } from './domain/create.ts'

/** Its own active models, or, where it has none, the active default models without a currency. */
export function modelsFrom(
  settlements: Pick<Calls<typeof settlementModelsService>, 'GetSettlementModels'>,
): (currency: string) => Promise<readonly ModelPair[]> {
  return async (currency) => {
    const own = await settlements.GetSettlementModels({ currency, name: '' })
    const models = activeOf(own.models, currency)
    if (models.length > 0) return models.map(pairOf)
    const every = await settlements.GetSettlementModels({ currency: '', name: '' })
    return activeOf(every.models, '').map(pairOf)
  }
}

function activeOf(
  models: readonly SettlementModel[],
  currency: string,
): readonly SettlementModel[] {
  return models.filter((model) => model.isActive && model.currency === currency)
}

function pairOf({ ledgerAccountType, settlementAccountType }: SettlementModel): ModelPair {
  return { ledgerAccountType, settlementAccountType }
}
