/** The settlement models over gRPC: created once per name. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { SettlementModel, settlementModelsService, Refusal } from '@causeway/protos'
import { isRefused } from '@causeway/services'
import type { Refused } from '../refusal.ts'
import { decideModel, nameTaken, unknownModel, type Model } from './domain/model.ts'
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
      if (decision.type === 'REFUSE') return refusedWith(decision)
      const model = await store.create(decision.draft, actor)
      if (model === undefined) return refusedWith(nameTaken(proposal.name))
      await onChanged(model)
      return { model: messageOf(model), refusal: null, result: 'model' }
    },
    UpdateSettlementModel: async ({ name, isActive, windowCron, actor }) => {
      const model = await store.update(name, { isActive, windowCron }, actor)
      if (model === undefined) return refusedWith(unknownModel(name))
      if (isRefused(model)) return refusedWith(model)
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

function refusedWith({ reason, detail }: Refused): {
  readonly model: null
  readonly refusal: Refusal
  readonly result: 'refusal'
} {
  return { model: null, refusal: { reason, detail }, result: 'refusal' }
}
