/** Settlements as operators read them. */
import { formatAmount } from '@causeway/money'
import { statement, textArray, type Queries } from '@causeway/postgres'
import type {
  Settlement,
  SettlementAccount,
  SettlementAccountState,
  SettlementState,
  SettlementWindow,
} from '@causeway/protos'
import { anyWindow, groupedBy, readWindows } from '../windows/read-store.ts'

export interface SettlementFilter {
  /** Null means any. */
  readonly id: number | null
  readonly currency: string | null
  readonly participantId: number | null
  readonly windowId: number | null
  readonly accountId: number | null
  readonly state: SettlementState | null
  readonly from: Date | null
  readonly to: Date | null
  readonly windowFrom: Date | null
  readonly windowTo: Date | null
  readonly beforeId: number | null
  readonly limit: number
}

export const anySettlement: SettlementFilter = {
  id: null,
  currency: null,
  participantId: null,
  windowId: null,
  accountId: null,
  state: null,
  from: null,
  to: null,
  windowFrom: null,
  windowTo: null,
  beforeId: null,
  limit: 1_000,
}

export interface SettlementPage {
  readonly settlements: readonly Settlement[]
  /** Null: it is the last one. */
  readonly nextBeforeId: number | null
}

const listSettlements = statement(`
  select settlements.id, models.name as model, settlements.state, settlements.reason,
    settlements.external_reference, settlements.created_at, settlements.changed_at
  from settlements join settlement_models models on models.id = settlements.model_id
  where ($1::integer is null or settlements.id = $1)
    and ($2::text is null and $3::integer is null and $4::integer is null or exists (
      select from settlement_accounts accounts
      where accounts.settlement_id = settlements.id
        and ($2::text is null or accounts.currency = $2)
        and ($3::integer is null or accounts.participant_id = $3)
        and ($4::integer is null or accounts.account_id = $4)))
    and ($5::text is null or settlements.state = $5)
    and ($6::timestamptz is null or settlements.created_at >= $6)
    and ($7::timestamptz is null or settlements.created_at <= $7)
    and ($8::integer is null and $9::timestamptz is null and $10::timestamptz is null or exists (
      select from settlement_contents taken
      join window_contents contents on contents.id = taken.content_id
      join settlement_windows windows on windows.id = contents.window_id
      where taken.settlement_id = settlements.id
        and ($8::integer is null or windows.id = $8)
        and ($9::timestamptz is null or windows.created_at >= $9)
        and ($10::timestamptz is null or windows.created_at <= $10)))
    and ($11::integer is null or settlements.id < $11)
  order by settlements.id desc
  limit $12`)

const listAccounts = statement(`
  select settlement_id, account_id, participant_id, participant, currency, net, state, reason,
    external_reference, changed_at
  from settlement_accounts where settlement_id = any($1::text[]::integer[])
  order by settlement_id, participant_id, account_id`)

const listTaken = statement(`
  select taken.settlement_id, taken.content_id, contents.window_id
  from settlement_contents taken join window_contents contents on contents.id = taken.content_id
  where taken.settlement_id = any($1::text[]::integer[])
  order by taken.settlement_id, contents.window_id, taken.content_id`)

interface TakenRow {
  readonly settlement_id: number
  readonly content_id: number
  readonly window_id: number
}

interface SettlementRow {
  readonly id: number
  readonly model: string
  readonly state: SettlementState
  readonly reason: string
  readonly external_reference: string
  readonly created_at: Date
  readonly changed_at: Date
}

interface SettlementAccountRow {
  readonly settlement_id: number
  readonly account_id: number
  readonly participant_id: number
  readonly participant: string
  readonly currency: string
  readonly net: string
  readonly state: SettlementAccountState
  readonly reason: string
  readonly external_reference: string
  readonly changed_at: Date
}

export async function readSettlements(
  db: Queries,
  filter: SettlementFilter,
): Promise<SettlementPage> {
  const found = await db.query<SettlementRow>(listSettlements, [
    filter.id,
    filter.currency,
    filter.participantId,
    filter.accountId,
    filter.state,
    filter.from,
    filter.to,
    filter.windowId,
    filter.windowFrom,
    filter.windowTo,
    filter.beforeId,
    filter.limit,
  ])
  const rows = await fitting(db, found)
  const isLast = rows.length === found.length && found.length < filter.limit
  const ids = textArray(rows.map(({ id }) => String(id)))
  const accounts = await db.query<SettlementAccountRow>(listAccounts, [ids])
  const taken = await db.query<TakenRow>(listTaken, [ids])
  const windowIds = [...new Set(taken.map(({ window_id }) => window_id))]
  const held = { ...anyWindow, ids: windowIds, limit: windowIds.length }
  const windows = new Map((await readWindows(db, held, 'SUMS')).map((one) => [one.id, one]))
  const accountsOf = groupedBy(accounts, ({ settlement_id }) => settlement_id)
  const takenBy = groupedBy(taken, ({ settlement_id }) => settlement_id)
  const settlements = rows.map((row) => ({
    id: row.id,
    model: row.model,
    state: row.state,
    explanation: row.reason,
    externalReference: row.external_reference || undefined,
    createdAt: row.created_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
    windows: windowsWith(takenBy.get(row.id) ?? [], windows),
    accounts: (accountsOf.get(row.id) ?? []).map(accountOf),
    stepEffects: [],
    unknownAccounts: [],
  }))
  return { settlements, nextBeforeId: isLast ? null : (rows.at(-1)?.id ?? null) }
}

const sizes = statement(`
  select settlement_id, count(*)::integer as accounts from settlement_accounts
  where settlement_id = any($1::text[]::integer[]) group by settlement_id`)

/** The maximum number of accounts in one answer; older settlements are on the next page. */
const accounts_max = 50_000

async function fitting(
  db: Queries,
  rows: readonly SettlementRow[],
): Promise<readonly SettlementRow[]> {
  const counts = await db.query<{ settlement_id: number; accounts: number }>(sizes, [
    textArray(rows.map(({ id }) => String(id))),
  ])
  const sizeOf = new Map(counts.map((row) => [row.settlement_id, row.accounts]))
  let sum = 0
  const end = rows.findIndex(({ id }) => (sum += sizeOf.get(id) ?? 0) > accounts_max)
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1))
}

/** The windows, with only the contents of the settlement. */
function windowsWith(
  taken: readonly TakenRow[],
  windows: ReadonlyMap<number, SettlementWindow>,
): SettlementWindow[] {
  const contents = new Set(taken.map(({ content_id }) => content_id))
  return [...new Set(taken.map(({ window_id }) => window_id))].flatMap((id) => {
    const window = windows.get(id)
    if (window === undefined) return []
    return [{ ...window, contents: window.contents.filter((one) => contents.has(one.id)) }]
  })
}

function accountOf(row: SettlementAccountRow): SettlementAccount {
  return {
    participantId: row.participant_id,
    participant: row.participant,
    accountId: row.account_id,
    currency: row.currency,
    state: row.state,
    explanation: row.reason,
    externalReference: row.external_reference || undefined,
    net: formatAmount(BigInt(row.net)),
    changedAt: row.changed_at.toISOString(),
    isUpdated: false,
  }
}
