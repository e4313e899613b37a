/**
 * What the ledger knows of settlement models, as rows. They change only in the ledger's queue, so the
 * next reservation sees the change.
 */
import type { Audited } from '@causeway/events'
import { refuse } from '@causeway/services'
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { SettlementAccountType } from '@causeway/protos'
import { type RefusedChange } from '../domain/refusal.ts'

export interface StoredRule {
  readonly modelId: number
  readonly model: string
  /** Empty: of currencies that have no model of their own. */
  readonly currency: string
  readonly isActive: boolean
  readonly coverType: SettlementAccountType
  readonly requireLiquidityCheck: boolean
}

export interface ListedRule extends StoredRule {
  readonly isCheckOff: boolean
}

/** A switched check stays switched: the other members of a model never change. */
const save = statement(`
  insert into settlement_rules
    (model_id, model, currency, is_active, cover_type, require_liquidity_check)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (model_id) do update set is_active = excluded.is_active`)

export async function saveRule(tx: Transaction, rule: StoredRule): Promise<void> {
  const { modelId, model, currency, isActive, coverType, requireLiquidityCheck } = rule
  await tx.query(save, [modelId, model, currency, isActive, coverType, requireLiquidityCheck])
}

const columns = `model_id as "modelId", model, currency, is_active as "isActive",
  cover_type as "coverType", require_liquidity_check as "requireLiquidityCheck",
  is_check_off as "isCheckOff"`

const all = statement(`select ${columns} from settlement_rules order by model_id`)

/** In the order of the models' ids. */
export function rulesOf(db: Queries): Promise<readonly ListedRule[]> {
  return db.query<ListedRule>(all, [])
}

const lock = statement(`select ${columns} from settlement_rules where model = $1 for update`)
const switchOf = statement('update settlement_rules set is_check_off = $2 where model_id = $1')

/**
 * Switches the check of cover of a model's transfers off, or on again. Off is for a model alone that has
 * requireLiquidityCheck false.
 */
export async function switchCheckIn(
  tx: Transaction,
  { model, isRequired }: { readonly model: string; readonly isRequired: boolean },
): Promise<RefusedChange | { readonly type: 'DONE'; readonly audited: Audited | null }> {
  const [rule] = await tx.query<ListedRule>(lock, [model])
  if (rule === undefined) {
    return refuse('MODEL_UNKNOWN', `there is no settlement model ${model} of positions`)
  }
  if (!isRequired && rule.requireLiquidityCheck) {
    return refuse('INVALID', `${model} has requireLiquidityCheck true`)
  }
  if (rule.isCheckOff === !isRequired) return { type: 'DONE', audited: null }
  await tx.query(switchOf, [rule.modelId, !isRequired])
  const audited: Audited = {
    subject: `settlementModels/${model}`,
    before: { coverIsChecked: !rule.isCheckOff },
    after: { coverIsChecked: isRequired },
  }
  return { type: 'DONE', audited }
}
