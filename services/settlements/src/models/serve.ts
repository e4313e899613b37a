/** The settlement models over gRPC: created once for a name, read by everybody. */
import type { Refusal, SettlementModel, settlementModelsService } from '@causeway/protos'
import type { Handlers } from '@causeway/runtime'
import { decideModel, nameTaken, type Model, type Refused } from './domain/model.ts'
import type { ModelStore } from './store.ts'

export interface ModelServiceParts {
  readonly store: ModelStore
  /** Told of a model right after it is stored, before the caller is. */
  readonly onCreated: (model: Model) => Promise<void>
}

export function modelHandlers({
  store,
  onCreated,
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
    CreateSettlementModel: async (proposal) => {
      const decision = decideModel(proposal)
      if (decision.type === 'refuse') return refusedWith(decision.refusal)
      const model = await store.create(decision.draft)
      if (model === undefined) return refusedWith(nameTaken(proposal.name))
      await onCreated(model)
      return { model: messageOf(model), refusal: null, result: 'model' }
    },
  }
}

function messageOf(model: Model): SettlementModel {
  return { ...model }
}

function refusedWith(refused: Refused): {
  readonly model: null
  readonly refusal: Refusal
  readonly result: 'refusal'
} {
  return { model: null, refusal: { ...refused }, result: 'refusal' }
}
