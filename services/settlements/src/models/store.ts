/** The settlement models, and their changes not yet pushed to participant-lifecycle. */
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import { statement, type Database } from '@causeway/postgres'
import type { RefusedCommand } from '../domain/refusal.ts'
import { changed, type ModelChange, type Draft, type Model } from './domain/model.ts'

export interface ModelStore {
  /** Stores the model and the intent to push it; undefined when the name is taken. */
  create(draft: Draft, actor: string): Promise<Model | undefined>
  /** Stores the change and the intent to push it; undefined when there is no such model. */
  update(
    name: string,
    change: ModelChange,
    actor: string,
  ): Promise<Model | RefusedCommand | undefined>
  /** In the order of their ids. */
  all(): Promise<readonly Model[]>
  pendingPushes(): Promise<readonly PendingPush[]>
  /** A change that was stored in the meantime stays pending. */
  markPushed(push: PendingPush): Promise<void>
}

/** A model whose last change has not been pushed to participant-lifecycle. */
export interface PendingPush {
  readonly model: Model
  /** The number of the change, in decimal digits. */
  readonly change: string
}

/** The column of each member of a draft. */
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
  feePercentage: 'fee_percentage',
  windowCron: 'window_cron',
} as const satisfies Record<keyof Draft, string>

const members = Object.keys(columnOf) as (keyof Draft)[]
const modelColumns = `id, is_active as "isActive", ${members
  .map((member) => `${columnOf[member]} as "${member}"`)
  .join(', ')}`

type ModelRow = Omit<Model, 'feePercentage'> & { readonly feePercentage: string | null }

const createStatement = statement(`
  with created as (
    insert into settlement_models (${Object.values(columnOf).join(', ')})
    values (${members.map((_member, at) => `$${at + 1}`).join(', ')})
    on conflict (name) do nothing
    returning *
  ), telling as (
    insert into account_openings (model_id) select id from created
  )
  select ${modelColumns} from created`)

const lockStatement = statement(`
  select ${modelColumns} from settlement_models where name = $1 for update`)

const changeStatement = statement(`
  with changed as (
    update settlement_models set is_active = $2, window_cron = $3 where id = $1
  )
  insert into account_openings (model_id) values ($1)
  on conflict (model_id) do update set change = default`)

const allStatement = statement(`select ${modelColumns} from settlement_models order by id`)

const pendingStatement = statement(`
  select change, ${modelColumns} from settlement_models
  join account_openings on model_id = id order by id`)

const pushedStatement = statement(`delete from account_openings where change = $1`)

export function openModelStore(db: Database, bus: Pick<EventBus, 'announce'>): ModelStore {
  return {
    create: (draft, actor) =>
      db.transaction(async (tx) => {
        const values = members.map((member) => textOf(draft[member]))
        const [row] = await tx.query<ModelRow>(createStatement, values)
        if (row === undefined) return undefined
        const model = modelOf(row)
        bus.announce(tx, [audited('CreateSettlementModel', actor, null, model)])
        return model
      }),
    update: (name, change, actor) =>
      db.transaction(async (tx) => {
        const [row] = await tx.query<ModelRow>(lockStatement, [name])
        if (row === undefined) return undefined
        const before = modelOf(row)
        const after = changed(before, change, new Date())
        if ('reason' in after || after === before) return after
        await tx.query(changeStatement, [before.id, after.isActive, after.windowCron])
        bus.announce(tx, [audited('UpdateSettlementModel', actor, before, after)])
        return after
      }),
    all: async () => (await db.query<ModelRow>(allStatement, [])).map(modelOf),
    async pendingPushes() {
      const rows = await db.query<ModelRow & { readonly change: string }>(pendingStatement, [])
      return rows.map(({ change, ...row }) => ({ model: modelOf(row), change }))
    },
    async markPushed({ change }) {
      await db.query(pushedStatement, [change])
    },
  }
}

function modelOf(row: ModelRow): Model {
  return { ...row, feePercentage: row.feePercentage === null ? null : BigInt(row.feePercentage) }
}

function textOf(value: string | boolean | bigint | null): string | boolean | null {
  return typeof value === 'bigint' ? String(value) : value
}

function audited(action: string, actor: string, before: Model | null, after: Model) {
  return auditEntry('settlements', {
    actor,
    action,
    subject: `settlementModels/${after.name}`,
    before: before && stateOf(before),
    after: stateOf(after),
    at: new Date(),
  })
}

function stateOf({ feePercentage, ...model }: Model) {
  return { ...model, feePercentage: feePercentage === null ? null : String(feePercentage) }
}
