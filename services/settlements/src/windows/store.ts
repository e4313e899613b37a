/** Windows, the requests to close them, their contents, and the completeness of their lines. */
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import { parseDecimal } from '@causeway/money'
import {
  statement,
  textArray,
  type Database,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import type { SettlementWindowState, WindowContentState, WindowNet } from '@causeway/protos'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import type { Tally } from './domain/window.ts'

export interface Closing {
  readonly requestId: string
  readonly windowId: number
  readonly nextWindowId: number
  readonly reason: string
  readonly actor: string
}

export type AskedClosing =
  /** The intent is stored: this request's or an earlier one's. */
  | { readonly type: 'CLOSING'; readonly closing: Closing }
  /** It was closed by this request. */
  | { readonly type: 'CLOSED'; readonly nextWindowId: number }
  | RefusedCommand

interface ClosingRow {
  readonly request_id: string
  readonly window_id: number
  readonly next_window_id: number
  readonly reason: string
  readonly actor: string
  readonly closed_at: Date | null
}

const closingColumns = 'request_id, window_id, next_window_id, reason, actor, closed_at'

const findClosing = statement(`select ${closingColumns} from window_closings where request_id = $1`)
const findOpenClosing = statement(
  `select ${closingColumns} from window_closings where window_id = $1 and closed_at is null`,
)
const listOpenClosings = statement(
  `select ${closingColumns} from window_closings where closed_at is null order by window_id`,
)
const lockWindow = statement('select state from settlement_windows where id = $1 for update')
const intend = statement(`
  insert into window_closings (request_id, window_id, next_window_id, reason, actor)
  values ($1, $2, nextval(pg_get_serial_sequence('settlement_windows', 'id')), $3, $4)
  returning ${closingColumns}`)

/** Stores the intent to close the window, before the ledger is called. */
export function askClosing(
  db: Database,
  request: Omit<Closing, 'nextWindowId'>,
): Promise<AskedClosing> {
  const { requestId, windowId, reason, actor } = request
  return db.transaction(async (tx): Promise<AskedClosing> => {
    const [window] = await tx.query<{ state: SettlementWindowState }>(lockWindow, [windowId])
    if (window === undefined) return refuse('WINDOW_UNKNOWN', `there is no window ${windowId}`)
    const [own] = await tx.query<ClosingRow>(findClosing, [requestId])
    if (own !== undefined && own.window_id !== windowId) {
      return refuse('MODIFIED', `request ${requestId} is about window ${own.window_id}`)
    }
    if (own !== undefined && own.closed_at !== null) {
      return { type: 'CLOSED', nextWindowId: own.next_window_id }
    }
    if (window.state !== 'OPEN') {
      return refuse('WINDOW_NOT_OPEN', `Window ${windowId} is ${window.state}`)
    }
    const [other] = await tx.query<ClosingRow>(findOpenClosing, [windowId])
    if (other !== undefined) return { type: 'CLOSING', closing: closingOf(other) }
    const [made] = await tx.query<ClosingRow>(intend, [requestId, windowId, reason, actor])
    if (made === undefined) throw new Error(`the closing of window ${windowId} was not stored`)
    return { type: 'CLOSING', closing: closingOf(made) }
  })
}

/** The window of this request; undefined when the request is new. */
export async function windowOfRequest(db: Queries, requestId: string): Promise<number | undefined> {
  const [row] = await db.query<ClosingRow>(findClosing, [requestId])
  return row?.window_id
}

/** Closings that were begun and not finished. */
export async function openClosings(db: Queries): Promise<readonly Closing[]> {
  return (await db.query<ClosingRow>(listOpenClosings, [])).map(closingOf)
}

function closingOf(row: ClosingRow): Closing {
  return {
    requestId: row.request_id,
    windowId: row.window_id,
    nextWindowId: row.next_window_id,
    reason: row.reason,
    actor: row.actor,
  }
}

const findOpenWindow = statement(`select id from settlement_windows where state = 'OPEN'`)

export async function openWindowId(db: Queries): Promise<number> {
  const [row] = await db.query<{ id: number }>(findOpenWindow, [])
  if (row === undefined) throw new Error('no window is open')
  return row.id
}

const dropClosing = statement(
  'delete from window_closings where request_id = $1 and closed_at is null',
)

/** The ledger has not closed the window: nothing was posted in it, or it is not the current one. */
export async function forgetClosing(db: Queries, { requestId }: Closing): Promise<void> {
  await db.query(dropClosing, [requestId])
}

const markProcessing = statement(`
  update settlement_windows
  set state = 'PROCESSING', reason = $2, changed_at = clock_timestamp(), closed_at = clock_timestamp()
  where id = $1`)
const openNext = statement(`
  insert into settlement_windows (id, state) overriding system value values ($1, 'OPEN')`)
/** The row does not exist if another process deleted it because the window was empty. */
const endClosing = statement(`
  insert into window_closings (request_id, window_id, next_window_id, reason, actor, closed_at)
  values ($1, $2, $3, $4, $5, clock_timestamp())
  on conflict (request_id) do update
  set next_window_id = excluded.next_window_id, closed_at = excluded.closed_at`)
const storeContents = statement(`
  with counted as (
    select * from unnest($2::text[]::integer[], $3::text[], $4::text[]::integer[],
      $5::text[]::integer[], $6::text[], $7::text[]::numeric[], $8::text[]::bigint[])
      as counted (model_id, currency, account_id, participant_id, participant, net, transfers_count)
  ), contents as (
    insert into window_contents (window_id, model_id, currency, state, transfers_count)
    select $1, model_id, currency, 'CLOSED', sum(transfers_count) / 2 from counted
    group by model_id, currency
    order by model_id, currency
    returning id, model_id, currency
  )
  insert into content_nets (content_id, account_id, participant_id, participant, net, transfers_count)
  select contents.id, account_id, participant_id, participant, net, transfers_count
  from counted join contents using (model_id, currency)`)

/**
 * Stores the closed window with the nets counted by the ledger; false when that was done before.
 */
export function saveClosed(
  db: Database,
  bus: Pick<EventBus, 'announce'>,
  closing: Closing,
  nets: readonly WindowNet[],
): Promise<boolean> {
  const { requestId, windowId, nextWindowId, reason, actor } = closing
  return db.transaction(async (tx) => {
    const [window] = await tx.query<{ state: SettlementWindowState }>(lockWindow, [windowId])
    if (window?.state !== 'OPEN') return false
    await tx.query(markProcessing, [windowId, reason])
    await tx.query(openNext, [nextWindowId])
    await tx.query(endClosing, [requestId, windowId, nextWindowId, reason, actor])
    await tx.query(storeContents, [windowId, ...netColumns(nets)])
    bus.announce(tx, [
      auditEntry('settlements', {
        actor,
        action: 'CloseSettlementWindow',
        subject: `settlementWindows/${windowId}`,
        before: { state: 'OPEN' },
        after: { state: 'PROCESSING', reason, nextWindowId },
        at: new Date(),
        labels: { requestId },
      }),
    ])
    return true
  })
}

function netColumns(nets: readonly WindowNet[]): readonly Buffer[] {
  const column = (value: (net: WindowNet) => string | number) =>
    textArray(nets.map((net) => String(value(net))))
  return [
    column(({ settlementModelId }) => settlementModelId),
    column(({ currency }) => currency),
    column(({ accountId }) => accountId),
    column(({ participantNumber }) => participantNumber),
    column(({ participantId }) => participantId),
    column(({ net }) => String(unitsOf(net))),
    column(({ transfersCount }) => transfersCount),
  ]
}

function unitsOf(net: string): bigint {
  const units = parseDecimal(net)
  if (units === undefined) throw new Error(`the ledger's net ${net} is not an amount`)
  return units
}

const listProcessing = statement(`
  select windows.id, windows.closed_at, exists (
      select from window_contents contents
      join settlement_models models on models.id = contents.model_id
      where contents.window_id = windows.id and models.ledger_account_type = 'INTERCHANGE_FEE'
    ) as has_fees
  from settlement_windows windows
  where windows.state = 'PROCESSING'
  order by windows.id`)

export interface Processing {
  readonly windowId: number
  readonly closedAt: Date
  /** Whether it contains interchange fees, whose lines are fetched. */
  readonly hasFees: boolean
}

export async function processingWindows(db: Queries): Promise<readonly Processing[]> {
  const rows = await db.query<{ id: number; closed_at: Date; has_fees: boolean }>(
    listProcessing,
    [],
  )
  return rows.map((row) => ({ windowId: row.id, closedAt: row.closed_at, hasFees: row.has_fees }))
}

interface TallyRow {
  readonly model_id: number
  readonly account_id: number
  readonly net: string
  readonly count: string
}

const counted = statement(`
  select model_id, account_id, net, content_nets.transfers_count as count
  from window_contents join content_nets on content_nets.content_id = window_contents.id
  where window_id = $1`)

const recorded = statement(`
  select model_id, account_id, sum(net) as net, sum(count)::bigint as count
  from (
    select model_id, payer_account_id as account_id, amount as net, transfers_count as count
    from window_flows where window_id = $1
    union all
    select model_id, payee_account_id, -amount, transfers_count
    from window_flows where window_id = $1
  ) sides
  group by model_id, account_id`)

/** The nets that the ledger counted in a window, and the sums of its lines so far. */
export async function talliesOf(
  tx: Queries,
  windowId: number,
): Promise<{ readonly counted: readonly Tally[]; readonly recorded: readonly Tally[] }> {
  const ledgers = await tx.query<TallyRow>(counted, [windowId])
  const own = await tx.query<TallyRow>(recorded, [windowId])
  return { counted: ledgers.map(tallyOf), recorded: own.map(tallyOf) }
}

function tallyOf(row: TallyRow): Tally {
  return {
    modelId: row.model_id,
    accountId: row.account_id,
    net: BigInt(row.net),
    count: BigInt(row.count),
  }
}

const markClosed = statement(`
  update settlement_windows set state = 'CLOSED', changed_at = clock_timestamp()
  where id = $1 and state = 'PROCESSING'`)

/** All lines of the window are stored. */
export async function saveComplete(db: Queries, windowId: number): Promise<void> {
  await db.query(markClosed, [windowId])
}

const feeAccounts = statement(`
  select models.id as model_id, contents.currency, nets.participant, nets.account_id
  from window_contents contents
  join settlement_models models on models.id = contents.model_id
  join content_nets nets on nets.content_id = contents.id
  where contents.window_id = $1 and models.ledger_account_type = 'INTERCHANGE_FEE'`)

/** The account of each participant under each model of fees: "model/currency/participant". */
export async function feeAccountsOf(
  db: Queries,
  windowId: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{
    model_id: number
    currency: string
    participant: string
    account_id: number
  }>(feeAccounts, [windowId])
  return new Map(
    rows.map((row) => [`${row.model_id}/${row.currency}/${row.participant}`, row.account_id]),
  )
}

const contentStates = statement(`
  select window_id, array_to_json(array_agg(state))::text as states from window_contents
  where window_id = any($1::text[]::integer[]) group by window_id order by window_id`)

/** The states of the contents of these windows. */
export async function contentStatesOf(
  tx: Transaction,
  windowIds: readonly number[],
): Promise<ReadonlyMap<number, readonly WindowContentState[]>> {
  const rows = await tx.query<{ window_id: number; states: string }>(contentStates, [
    textArray(windowIds.map(String)),
  ])
  return new Map(rows.map((row) => [row.window_id, JSON.parse(row.states) as WindowContentState[]]))
}

const saveStates = statement(`
  update settlement_windows windows
  set state = after.state, reason = coalesce($3, reason), changed_at = clock_timestamp()
  from unnest($1::text[]::integer[], $2::text[]) as after (id, state)
  where windows.id = after.id and windows.state is distinct from after.state`)

export async function saveWindowStates(
  tx: Transaction,
  states: ReadonlyMap<number, SettlementWindowState>,
  reason: string | null,
): Promise<void> {
  await tx.query(saveStates, [
    textArray([...states.keys()].map(String)),
    textArray([...states.values()]),
    reason,
  ])
}
