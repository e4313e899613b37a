/** The settlement models over gRPC: created once per name. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { SettlementModel, settlementModelsService, SettlementRefusal } from '@causeway/protos'
import { decideModel, nameTaken, unknownModel, type Model, type Refused } from './domain/model.ts'
import type { ModelStore } from './store.ts'

export interface ModelServiceParts {
  readonly store: ModelStore
  /** Called after a model is stored, before the caller is answered. */
  readonly onChanged: (model: Model) => Promise<void>
}

export function modelHandlers({
  store,
  onChanged,
}: ModelServiceParts): Handlers<typeof settlementModelsService> {
  return {
    GetSettlementModels: async ({ currency, name }) => {
      const models = await store.all()
      return {
        models: models
          .filter((model) => currency === '' || model.currency === currency)
          .filter((model) => name === '' || model.name === name)
          .map(messageOf),
      }
    },
    CreateSettlementModel: async ({ actor = '', ...message }) => {
      const { interchangeFeePercentage = '', windowCron = '', ...proposal } = message
      const asked = { ...proposal, interchangeFeePercentage, windowCron }
      const decision = decideModel(asked, new Date())
      if (decision.type === 'refuse') return refusedWith(decision.refusal)
      const model = await store.create(decision.draft, actor)
      if (model === undefined) return refusedWith(nameTaken(proposal.name))
      await onChanged(model)
      return { model: messageOf(model), refusal: null, result: 'model' }
    },
    UpdateSettlementModel: async ({ name, isActive, windowCron, actor }) => {
      const model = await store.update(name, { isActive, windowCron }, actor)
      if (model === undefined) return refusedWith(unknownModel(name))
      if ('reason' in model) return refusedWith(model)
      await onChanged(model)
      return { model: messageOf(model), refusal: null, result: 'model' }
    },
  }
}

function messageOf({ feePercentage, windowCron, ...model }: Model): SettlementModel {
  return {
    ...model,
    ...(feePercentage === null ? {} : { interchangeFeePercentage: formatAmount(feePercentage) }),
    ...(windowCron === null || windowCron === '' ? {} : { windowCron }),
  }
}

function refusedWith(refused: Refused): {
  readonly model: null
  readonly refusal: SettlementRefusal
  readonly result: 'refusal'
} {
  return { model: null, refusal: { ...refused }, result: 'refusal' }
}
