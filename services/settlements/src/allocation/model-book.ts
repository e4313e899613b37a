/**
 * The settlement models in memory. Only a currency's own model is served from there: the default model,
 * or none, is an answer only after the store was asked again, for any process may have created one.
 * That a model is active no more is known after the next refresh.
 */
import { hasOwnModel, modelFor, type ModelChoice } from './domain/allocate.ts'

export interface ModelBook {
  /** Currencies without a model are left out. */
  find(currencies: ReadonlySet<string>): Promise<ReadonlyMap<string, ModelChoice>>
  refresh(): Promise<void>
}

export function openModelBook(load: () => Promise<readonly ModelChoice[]>): ModelBook {
  let models: readonly ModelChoice[] = []
  return {
    async refresh() {
      models = await load()
    },
    async find(currencies) {
      if ([...currencies].some((currency) => !hasOwnModel(models, currency))) models = await load()
      const found = new Map<string, ModelChoice>()
      for (const currency of currencies) {
        const model = modelFor(models, currency)
        if (model !== undefined) found.set(currency, model)
      }
      return found
    },
  }
}
