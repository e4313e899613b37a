/**
 * What the ledger knows of the settlement models of positions: which account covers their transfers,
 * and whether cover is checked at all. A model that it knows nothing of is covered by SETTLEMENT, and
 * checked.
 */

import type { SettlementAccountType } from '@causeway/protos'

export interface CoverRule {
  readonly coverType: SettlementAccountType
  /** False: two persons have switched the check off; the net debit cap is the only bound. */
  readonly isChecked: boolean
}

export interface ModelRule extends CoverRule {
  readonly modelId: number
  /** Empty: of currencies that have no model of their own. */
  readonly currency: string
  readonly isActive: boolean
}

export const usualCover: CoverRule = { coverType: 'SETTLEMENT', isChecked: true }

/** Of the model that a transfer was allocated to. */
export function ruleOfModel(rules: readonly ModelRule[], modelId: number): CoverRule {
  return rules.find((rule) => rule.modelId === modelId) ?? usualCover
}

/**
 * Of the next transfer in the currency, by the choice of settlements: the oldest active model of the
 * currency, else the oldest active default model.
 *
 * @param rules in the order of their ids
 */
export function ruleInForce(rules: readonly ModelRule[], currency: string): CoverRule {
  const active = rules.filter((rule) => rule.isActive)
  return (
    active.find((rule) => rule.currency === currency) ??
    active.find((rule) => rule.currency === '') ??
    usualCover
  )
}

/** Whether deposits on an account of this type cover positions in the currency under some model. */
export function isCover(rules: readonly ModelRule[], type: string, currency: string): boolean {
  return (
    type === usualCover.coverType ||
    rules.some((rule) => rule.coverType === type && ['', currency].includes(rule.currency))
  )
}
