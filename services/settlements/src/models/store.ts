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

/** Where each member of a draft is kept. */
const columnOf = {
  name: 'name',
  granularity: 'granularity',
  interchange: 'interchange',
  delay: 'delay',
  currency: 'currency',
  requireLiquidityCheck: 'require_liquidity_check',
  ledgerAccountType: 'ledger_account_type',
  settlementAccountType: 'settlement_account_type',
  autoPositionReset: 'auto_position_reset',
} as const satisfies Record<keyof Draft, string>

const members = Object.keys(columnOf) as (keyof Draft)[]
const modelColumns = `id, is_active as "isActive", ${members
  .map((member) => `${columnOf[member]} as "${member}"`)
  .join(', ')}`

const createStatement = statement(`
  with created as (
    insert into settlement_models (${Object.values(columnOf).join(', ')})
    values (${members.map((_member, at) => `$${at + 1}`).join(', ')})
    on conflict (name) do nothing
    returning *
  ), opening as (
    insert into account_openings (model_id) select id from created where $${members.length + 1}
  )
  select ${modelColumns} from created`)

const allStatement = statement(`select ${modelColumns} from settlement_models order by id`)

const toOpenStatement = statement(`
  select ${modelColumns} from settlement_models
  where id in (select model_id from account_openings) order by id`)

const openedStatement = statement(`delete from account_openings where model_id = $1`)

export function openModelStore(db: Database): ModelStore {
  return {
    async create(draft) {
      const values = members.map((member) => draft[member])
      const rows = await db.query<Model>(createStatement, [...values, opensAccounts(draft)])
      return rows[0]
    },
    all: () => db.query<Model>(allStatement, []),
    toOpen: () => db.query<Model>(toOpenStatement, []),
    async opened(modelId) {
      await db.query(openedStatement, [modelId])
    },
  }
}
