/**
 * The settlement models, cached. Only a currency's own model is served from the cache: before it
 * answers with the default model, or none, it reads the store again, because any process may have
 * created a model. A deactivated model is noticed at the next refresh.
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
