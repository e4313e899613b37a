/** The queries of verification: by window, so that no statement grows with the age of the hub. */
import { statement, type Queries } from '@causeway/postgres'
import type { SettlementState, SettlementWindowState, WindowContentState } from '@causeway/protos'
import type { AccountState } from '../settlements/domain/settlement.ts'

export interface ClosedWindow {
  readonly id: number
  readonly state: SettlementWindowState
  readonly closedAt: Date
  readonly contents: readonly WindowContentState[]
}

const closedAfter = statement(`
  select id, state, closed_at, (
      select coalesce(json_agg(contents.state), '[]')::text from window_contents contents
      where contents.window_id = windows.id
    ) as contents
  from settlement_windows windows
  where id > $1 and closed_at is not null
  order by id
  limit $2`)

export async function closedWindowsAfter(
  db: Queries,
  afterId: number,
  limit: number,
): Promise<readonly ClosedWindow[]> {
  const rows = await db.query<{
    id: number
    state: SettlementWindowState
    closed_at: Date
    contents: string
  }>(closedAfter, [afterId, limit])
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    closedAt: row.closed_at,
    contents: JSON.parse(row.contents) as WindowContentState[],
  }))
}

const differentFlows = statement(`
  with summed as (
    select model_id, payer_account_id, payee_account_id, sum(amount) as amount,
      count(*) as transfers_count
    from lines where window_id = $1
    group by model_id, payer_account_id, payee_account_id
  ), counted as (
    select model_id, payer_account_id, payee_account_id, amount, transfers_count
    from window_flows where window_id = $1
  )
  select payer_account_id as "payerAccountId", payee_account_id as "payeeAccountId"
  from summed
  full join counted using (model_id, payer_account_id, payee_account_id)
  where summed.amount is distinct from counted.amount
    or summed.transfers_count is distinct from counted.transfers_count
  limit 100`)

export interface FlowDifference {
  readonly payerAccountId: number | null
  readonly payeeAccountId: number | null
}

/** Pairs of accounts whose lines do not sum to the counted flows. */
export function wrongFlows(db: Queries, windowId: number): Promise<readonly FlowDifference[]> {
  return db.query<FlowDifference>(differentFlows, [windowId])
}

export interface CheckedSettlement {
  readonly id: number
  readonly state: SettlementState
  readonly accounts: readonly AccountState[]
  /** Accounts whose net differs from the settlement's contents. */
  readonly wrongAccounts: readonly number[]
}

const settlementsAfter = statement(`
  select settlements.id, settlements.state, (
      select coalesce(json_agg(distinct accounts.state), '[]')::text
      from settlement_accounts accounts where accounts.settlement_id = settlements.id
    ) as accounts, (
      select coalesce(json_agg(account_id), '[]')::text
      from (
        select account_id, sum(net) as net
        from settlement_contents taken join content_nets nets on nets.content_id = taken.content_id
        where taken.settlement_id = settlements.id
        group by account_id
      ) took
      full join (
        select account_id, net from settlement_accounts where settlement_id = settlements.id
      ) own using (account_id)
      where took.net is distinct from own.net
    ) as wrong_accounts
  from settlements
  where settlements.id > $1
    and not exists (select from settlement_steps where settlement_id = settlements.id)
  order by settlements.id
  limit $2`)

/** Settlements without an open step. */
export async function settlementsToCheck(
  db: Queries,
  afterId: number,
  limit: number,
): Promise<readonly CheckedSettlement[]> {
  const rows = await db.query<{
    id: number
    state: SettlementState
    accounts: string
    wrong_accounts: string
  }>(settlementsAfter, [afterId, limit])
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    accounts: JSON.parse(row.accounts) as AccountState[],
    wrongAccounts: JSON.parse(row.wrong_accounts) as number[],
  }))
}

const listIds = statement('select id from settlements where id > $1 order by id limit $2')

export async function settlementIdsAfter(
  db: Queries,
  afterId: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(listIds, [afterId, limit])
  return rows.map(({ id }) => id)
}
