/**
 * Which settlement model a transfer belongs to, and how it is settled. Pure, so an allocation can
 * be repeated.
 */

import type { SettlementKind } from '@causeway/services'

/** The part of a settlement model that allocation needs. */
export interface ModelChoice {
  readonly id: number
  readonly name: string
  readonly isActive: boolean
  readonly granularity: 'GROSS' | 'NET'
  readonly delay: 'IMMEDIATE' | 'DEFERRED'
  /** Empty: the default of currencies that have none of their own. */
  readonly currency: string
  readonly ledgerAccountType: string
}

/** The currency's own active model of positions, else the default model; of several the oldest. */
export function modelFor(
  models: readonly ModelChoice[],
  currency: string,
): ModelChoice | undefined {
  return oldest(models, currency) ?? oldest(models, '')
}

/** Whether `modelFor` finds a model of the currency itself, which no newer model replaces. */
export function hasOwnModel(models: readonly ModelChoice[], currency: string): boolean {
  return oldest(models, currency) !== undefined
}

export function settlesOf({ granularity, delay }: ModelChoice): SettlementKind {
  if (granularity === 'NET') return 'NET'
  return delay === 'IMMEDIATE' ? 'GROSS_IMMEDIATE' : 'GROSS_DEFERRED'
}

function oldest(models: readonly ModelChoice[], currency: string): ModelChoice | undefined {
  return models
    .filter((model) => model.isActive && model.ledgerAccountType === 'POSITION')
    .filter((model) => model.currency === currency)
    .reduce<ModelChoice | undefined>(
      (first, model) => (first === undefined || model.id < first.id ? model : first),
      undefined,
    )
}
