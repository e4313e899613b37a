/** The settlement models over gRPC: created once per name. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import {
  settlementAccountTypeValues,
  settlementModelDelayValues,
  settlementModelGranularityValues,
  settlementModelInterchangeValues,
  settlementModelLedgerAccountTypeValues,
  type ModelCreation,
  type Refusal,
  type SettlementModel,
  type settlementModelsService,
} from '@causeway/protos'
import { isRefused } from '@causeway/services'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
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
          .filter((model) => currency === undefined || model.currency === currency)
          .filter((model) => name === undefined || model.name === name)
          .map(messageOf),
      }
    },
    CreateSettlementModel: async ({ actor = '', ...proposal }) => {
      const unknown = unknownWordIn(proposal)
      if (unknown !== undefined) return refusedWith(unknown)
      const decision = decideModel(proposal, new Date())
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

/** A word that a newer caller may know. */
function unknownWordIn(proposal: Omit<ModelCreation, 'actor'>): RefusedCommand | undefined {
  const { granularity, interchange, delay, ledgerAccountType, settlementAccountType } = proposal
  if (!settlementModelGranularityValues.includes(granularity)) {
    return refuse('INVALID', `settlementGranularity is ${either(settlementModelGranularityValues)}`)
  }
  if (!settlementModelInterchangeValues.includes(interchange)) {
    return refuse('INVALID', `settlementInterchange is ${either(settlementModelInterchangeValues)}`)
  }
  if (!settlementModelDelayValues.includes(delay)) {
    return refuse('INVALID', `settlementDelay is ${either(settlementModelDelayValues)}`)
  }
  if (!settlementModelLedgerAccountTypeValues.includes(ledgerAccountType)) {
    const types = either(settlementModelLedgerAccountTypeValues)
    return refuse('ACCOUNT_TYPE_UNKNOWN', `ledgerAccountType is ${types}`)
  }
  if (
    settlementAccountType !== undefined &&
    !settlementAccountTypeValues.includes(settlementAccountType)
  ) {
    const types = either(settlementAccountTypeValues)
    return refuse('ACCOUNT_TYPE_UNKNOWN', `settlementAccountType is ${types}`)
  }
  return undefined
}

function either(words: readonly string[]): string {
  return words.join(' or ')
}

function messageOf({ feePercentage, windowCron, currency, ...model }: Model): SettlementModel {
  return {
    ...model,
    currency: currency || undefined,
    interchangeFeePercentage: feePercentage === null ? undefined : formatAmount(feePercentage),
    windowCron: windowCron || undefined,
  }
}

function refusedWith({ reason, detail }: RefusedCommand): {
  readonly model: null
  readonly refusal: Refusal
  readonly result: 'refusal'
} {
  return { model: null, refusal: { reason, detail }, result: 'refusal' }
}
