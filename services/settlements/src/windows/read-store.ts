/** Windows with their contents, as operators read them. */
import { formatAmount } from '@causeway/money'
import { statement, textArray, type Queries } from '@causeway/postgres'
import type {
  ContentNet,
  SettlementWindow,
  SettlementWindowState,
  WindowContent,
  WindowContentState,
} from '@causeway/protos'

export interface WindowFilter {
  /** Null means any. */
  readonly ids: readonly number[] | null
  readonly participantId: number | null
  readonly state: SettlementWindowState | null
  readonly from: Date | null
  readonly to: Date | null
  readonly currency: string | null
  readonly beforeId: number | null
  readonly limit: number
}

export const anyWindow: WindowFilter = {
  ids: null,
  participantId: null,
  state: null,
  from: null,
  to: null,
  currency: null,
  beforeId: null,
  limit: 1_000,
}

const listWindows = statement(`
  select id, state, reason, created_at, changed_at from settlement_windows windows
  where ($1::text[] is null or id = any($1::text[]::integer[]))
    and ($2::integer is null or exists (
      select from window_contents join content_nets on content_id = window_contents.id
      where window_id = windows.id and participant_id = $2))
    and ($3::text is null or state = $3)
    and ($4::timestamptz is null or created_at >= $4)
    and ($5::timestamptz is null or created_at <= $5)
    and ($6::text is null or exists (
      select from window_contents where window_id = windows.id and currency = $6))
    and ($7::integer is null or id < $7)
  order by id desc
  limit $8`)

const listContents = statement(`
  select contents.id, contents.window_id, contents.state, models.ledger_account_type, contents.currency,
    contents.created_at, contents.changed_at, contents.settlement_id, contents.model_id,
    models.name as model, contents.transfers_count
  from window_contents contents join settlement_models models on models.id = contents.model_id
  where contents.window_id = any($1::text[]::integer[])
  order by contents.id`)

const listNets = statement(`
  select content_id, participant_id, participant, account_id, net, transfers_count
  from content_nets where content_id = any($1::text[]::integer[])
  order by participant_id, account_id`)

interface WindowRow {
  readonly id: number
  readonly state: SettlementWindowState
  readonly reason: string
  readonly created_at: Date
  readonly changed_at: Date
}

interface ContentRow {
  readonly id: number
  readonly window_id: number
  readonly state: WindowContentState
  readonly ledger_account_type: string
  readonly currency: string
  readonly created_at: Date
  readonly changed_at: Date
  readonly settlement_id: number | null
  readonly model_id: number
  readonly model: string
  readonly transfers_count: string
}

interface NetRow {
  readonly content_id: number
  readonly participant_id: number
  readonly participant: string
  readonly account_id: number
  readonly net: string
  readonly transfers_count: string
}

/**
 * @param nets NETS: with the nets of accounts; SUMS: without, so that lists fit into one message
 */
export async function readWindows(
  db: Queries,
  filter: WindowFilter,
  nets: 'NETS' | 'SUMS',
): Promise<readonly SettlementWindow[]> {
  const windows = await db.query<WindowRow>(listWindows, [
    filter.ids === null ? null : textArray(filter.ids.map(String)),
    filter.participantId,
    filter.state,
    filter.from,
    filter.to,
    filter.currency,
    filter.beforeId,
    filter.limit,
  ])
  const contents = await db.query<ContentRow>(listContents, [
    textArray(windows.map(({ id }) => String(id))),
  ])
  const counted = nets === 'NETS' ? contents : []
  const rows = await db.query<NetRow>(listNets, [textArray(counted.map(({ id }) => String(id)))])
  const netsOf = groupedBy(rows, ({ content_id }) => content_id)
  const contentsOf = groupedBy(contents, ({ window_id }) => window_id)
  return windows.map((window) => ({
    id: window.id,
    state: window.state,
    explanation: window.reason,
    createdAt: window.created_at.toISOString(),
    changedAt: window.changed_at.toISOString(),
    contents: (contentsOf.get(window.id) ?? []).map((row) =>
      contentMessage(row, netsOf.get(row.id) ?? []),
    ),
  }))
}

function contentMessage(row: ContentRow, nets: readonly NetRow[]): WindowContent {
  return {
    id: row.id,
    state: row.state,
    ledgerAccountType: row.ledger_account_type,
    currency: row.currency,
    createdAt: row.created_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
    settlementId: row.settlement_id ?? undefined,
    settlementModelId: row.model_id,
    settlementModel: row.model,
    transfersCount: row.transfers_count,
    nets: nets.map(netMessage),
  }
}

function netMessage(row: NetRow): ContentNet {
  return {
    participantId: row.participant_id,
    participant: row.participant,
    accountId: row.account_id,
    net: formatAmount(BigInt(row.net)),
    transfersCount: row.transfers_count,
  }
}

export function groupedBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => number,
): ReadonlyMap<number, readonly Row[]> {
  const groups = new Map<number, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group === undefined) groups.set(keyOf(row), [row])
    else group.push(row)
  }
  return groups
}
