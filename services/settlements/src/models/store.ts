/** The settlement models, and the accounts that are still to be opened for them. */
import { statement, type Database } from '@causeway/runtime'
import { opensAccounts, type Draft, type Model } from './domain/model.ts'

export interface ModelStore {
  /** Stores the model and the intent to open its accounts; undefined when the name is taken. */
  create(draft: Draft): Promise<Model | undefined>
  /** In the order of their ids. */
  all(): Promise<readonly Model[]>
  /** Models whose accounts are still to be opened. */
  toOpen(): Promise<readonly Model[]>
  opened(modelId: number): Promise<void>
}

const columns = `id, name, is_active as "isActive", granularity, interchange, delay, currency,
  require_liquidity_check as "requireLiquidityCheck", ledger_account_type as "ledgerAccountType",
  settlement_account_type as "settlementAccountType", auto_position_reset as "autoPositionReset"`

const createStatement = statement(`
  with created as (
    insert into settlement_models (name, granularity, interchange, delay, currency,
      require_liquidity_check, ledger_account_type, settlement_account_type, auto_position_reset)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (name) do nothing
    returning *
  ), opening as (
    insert into account_openings (model_id) select id from created where $10
  )
  select ${columns} from created`)

const allStatement = statement(`select ${columns} from settlement_models order by id`)

const toOpenStatement = statement(`
  select ${columns} from settlement_models
  where id in (select model_id from account_openings) order by id`)

const openedStatement = statement(`delete from account_openings where model_id = $1`)

export function openModelStore(db: Database): ModelStore {
  return {
    async create(draft) {
      const { name, granularity, interchange, delay, currency, autoPositionReset } = draft
      const { requireLiquidityCheck, ledgerAccountType, settlementAccountType } = draft
      const [model] = await db.query<Model>(createStatement, [
        name,
        granularity,
        interchange,
        delay,
        currency,
        requireLiquidityCheck,
        ledgerAccountType,
        settlementAccountType,
        autoPositionReset,
        opensAccounts(draft),
      ])
      return model
    },
    all: () => db.query<Model>(allStatement, []),
    toOpen: () => db.query<Model>(toOpenStatement, []),
    async opened(modelId) {
      await db.query(openedStatement, [modelId])
    },
  }
}
