/** The nets counted in settlement windows, and the sums of the entries posted in them. */
import { statement, type Queries } from '@causeway/postgres'
import type { Net } from './domain/nets.ts'
import type { Slice } from './slice-store.ts'

interface NetRow {
  readonly window_id: number
  readonly model_id: number
  readonly account_id: number
  readonly net: string
  readonly transfers_count: string
}

/** Windows from the first to before the last. */
export interface Windows {
  readonly from: number
  readonly to: number
}

/** No window has this id or a greater one, and none a smaller one than its negative. */
export const windowId_max = 2_147_483_647

const listOpen = statement(`
  select current_window.window_id as current_id, net.window_id, model_id, account_id, net,
    transfers_count
  from current_window left join window_net net on net.window_id >= current_window.window_id
  where is_current`)

/** The current window, and what it and later ones have counted. */
export async function openNets(
  tx: Queries,
): Promise<{ readonly windowId: number; readonly nets: readonly Net[] }> {
  const rows = await tx.query<NetRow & { readonly current_id: number }>(listOpen, [])
  const [first] = rows
  if (first === undefined) throw new Error('the ledger has no current window')
  return {
    windowId: first.current_id,
    nets: rows.filter(({ net }: { readonly net: string | null }) => net !== null).map(netOf),
  }
}

const listClosed = statement(`
  select window_id, model_id, account_id, net, transfers_count from window_net
  where window_id >= $1 and window_id < $2
  order by window_id, model_id, account_id
  limit $3`)

/** What these windows have counted, at most so many rows. */
export async function netsOf(
  tx: Queries,
  { from, to }: Windows,
  limit: number,
): Promise<readonly Net[]> {
  return (await tx.query<NetRow>(listClosed, [from, to, limit])).map(netOf)
}

/** One row for each account and model, as the payer's side and as the payee's side. */
const sumPosted = statement(`
  select window_id, coalesce(model_id, 0) as model_id,
    coalesce(debit_account_id, credit_account_id) as account_id,
    case when debit_account_id is null then -sum(amount) else sum(amount) end as net,
    count(*) as transfers_count
  from entries
  where ctid >= $1 and ctid < $2 and batch <= $3 and kind in ('TRANSFER', 'FEE')
    and outcome = 'POSTED' and window_id >= $4 and window_id < $5
  group by grouping sets
    ((window_id, model_id, debit_account_id), (window_id, model_id, credit_account_id))`)

/** The sums of the transfers posted in these windows up to this batch. */
export async function postedNets(
  tx: Queries,
  slice: Slice,
  batch: bigint,
  windows: Windows,
): Promise<readonly Net[]> {
  const { from, to } = slice
  const rows = await tx.query<NetRow>(sumPosted, [
    from,
    to,
    String(batch),
    windows.from,
    windows.to,
  ])
  return rows.map(netOf)
}

function netOf(row: NetRow): Net {
  return {
    windowId: row.window_id,
    modelId: row.model_id,
    accountId: row.account_id,
    net: BigInt(row.net),
    transfers: BigInt(row.transfers_count),
  }
}

const findFees = statement(`
  select id, fee from entries
  where ctid >= $1 and ctid < $2 and batch <= $3 and fee is not null and outcome = 'POSTED'
    and not exists (select from entries charged where charged.id = 'fee-' || entries.id
      and charged.kind = 'FEE' and charged.outcome = 'POSTED' and charged.amount = entries.fee)
  order by id`)

export interface FeeDifference {
  readonly id: string
  readonly fee: string
}

/** Posted transfers whose held fee was not charged. */
export function missingFees(
  tx: Queries,
  { from, to }: Slice,
  batch: bigint,
): Promise<readonly FeeDifference[]> {
  return tx.query<FeeDifference>(findFees, [from, to, String(batch)])
}

const findStamps = statement(`
  select id, amount, settles, window_id as "windowId" from entries
  where ctid >= $1 and ctid < $2 and batch <= $3 and kind in ('TRANSFER', 'FEE') and outcome = 'POSTED'
    and (settles is null or (settles in ('GROSS_IMMEDIATE', 'GROSS_IMMEDIATE_MULTILATERAL')) <> (window_id is null) or window_id > $4)
  order by id`)

export interface StampDifference {
  readonly id: string
  readonly amount: string
  readonly settles: string | null
  readonly windowId: number | null
}

/** Posted transfers that are not in exactly one window, or are gross and in one. */
export function wrongStamps(
  tx: Queries,
  { from, to }: Slice,
  batch: bigint,
  currentWindowId: number,
): Promise<readonly StampDifference[]> {
  return tx.query<StampDifference>(findStamps, [from, to, String(batch), currentWindowId])
}
