/**
 * The settlement models that serve a currency, requested from settlements whenever accounts are
 * opened.
 */
import type { Calls } from '@causeway/grpc'
import type { SettlementModel, settlementModelsService } from '@causeway/protos'
import type { ModelPair } from './domain/create.ts'

export interface CurrencyModel extends ModelPair {
  /** Each transfer is settled by itself and moves the cover. */
  readonly isGross: boolean
}

/**
 * The currency's own active models. If none of them settles positions, the active default models,
 * which have no currency, serve it as well.
 */
export function modelsFrom(
  settlements: Pick<Calls<typeof settlementModelsService>, 'GetSettlementModels'>,
): (currency: string) => Promise<readonly CurrencyModel[]> {
  return async (currency) => {
    const own = await settlements.GetSettlementModels({ currency })
    const models = activeOf(own.models, currency)
    if (models.some((model) => model.ledgerAccountType === 'POSITION')) return models.map(modelOf)
    const every = await settlements.GetSettlementModels({})
    return [...activeOf(every.models, undefined), ...models].map(modelOf)
  }
}

function activeOf(
  models: readonly SettlementModel[],
  currency: string | undefined,
): readonly SettlementModel[] {
  return models.filter((model) => model.isActive && model.currency === currency)
}

function modelOf(model: SettlementModel): CurrencyModel {
  const { ledgerAccountType, settlementAccountType } = model
  return { ledgerAccountType, settlementAccountType, isGross: model.granularity === 'GROSS' }
}
