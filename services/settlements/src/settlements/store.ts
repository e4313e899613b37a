/** Settlements with their accounts, and their open steps. */
import {
  statement,
  textArray,
  type Database,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import type { SettlementState } from '@causeway/protos'
import type { Rules, Pair, GrossLine } from './domain/movements.ts'
import type { NetAccount, AccountState, AccountChange, Settlement } from './domain/settlement.ts'

/** The part of a model that settling needs. */
export interface SettlementModel extends Omit<Rules, 'excludesUnpaid'> {
  readonly id: number
  readonly name: string
  readonly isActive: boolean
  readonly delay: string
  readonly requireLiquidityCheck: boolean
}

export interface StoredSettlement extends Settlement {
  readonly model: SettlementModel
}

const modelColumns = `models.id, models.name, models.is_active as "isActive", models.delay,
  models.granularity, models.interchange, models.ledger_account_type as "ledgerAccountType",
  models.settlement_account_type as "settlementAccountType",
  models.auto_position_reset as "autoPositionReset",
  models.require_liquidity_check as "requireLiquidityCheck"`

const findModel = statement(`select ${modelColumns} from settlement_models models where name = $1`)

export async function modelNamed(db: Queries, name: string): Promise<SettlementModel | undefined> {
  const [model] = await db.query<SettlementModel>(findModel, [name])
  return model
}

const findRequest = statement('select id, model_id from settlements where request_id = $1')
const findWindows = statement(`
  select window_id from settlement_contents
  join window_contents on window_contents.id = content_id
  where settlement_contents.settlement_id = $1
  group by window_id order by window_id`)

export interface RequestedSettlement {
  readonly id: number
  readonly modelId: number
  readonly windowIds: readonly number[]
}

/** The settlement that this request created before. */
export async function requestedBefore(
  db: Queries,
  requestId: string,
): Promise<RequestedSettlement | undefined> {
  const [row] = await db.query<{ id: number; model_id: number }>(findRequest, [requestId])
  if (row === undefined) return undefined
  const windows = await db.query<{ window_id: number }>(findWindows, [row.id])
  return {
    id: row.id,
    modelId: row.model_id,
    windowIds: windows.map(({ window_id }) => window_id),
  }
}

/** The windows that a settlement took. */
export async function windowsOf(db: Queries, settlementId: number): Promise<readonly number[]> {
  const windows = await db.query<{ window_id: number }>(findWindows, [settlementId])
  return windows.map(({ window_id }) => window_id)
}

const lockWindowRows = statement(`
  select id, state from settlement_windows where id = any($1::text[]::integer[])
  order by id for update`)

const settleableContents = statement(`
  select id, window_id from window_contents
  where window_id = any($1::text[]::integer[]) and model_id = $2 and state in ('CLOSED', 'ABORTED')
  order by id for update`)

export interface TakenContent {
  readonly id: number
  readonly window_id: number
}

/** Locks the windows and their contents that can be settled under the model. */
export async function lockContents(
  tx: Transaction,
  windowIds: readonly number[],
  modelId: number,
): Promise<{
  readonly windows: readonly { readonly id: number; readonly state: string }[]
  readonly contents: readonly TakenContent[]
}> {
  const windows = await lockWindows(tx, windowIds)
  const ids = textArray(windowIds.map(String))
  const contents = await tx.query<TakenContent>(settleableContents, [ids, modelId])
  return { windows, contents }
}

/** Locks windows before their contents change, so that their states stay consistent. */
export function lockWindows(
  tx: Transaction,
  windowIds: readonly number[],
): Promise<readonly { readonly id: number; readonly state: string }[]> {
  return tx.query(lockWindowRows, [textArray(windowIds.map(String))])
}

const create = statement(`
  insert into settlements (request_id, model_id, state, reason)
  values ($1, $2, 'PENDING_SETTLEMENT', $3)
  on conflict (request_id) do nothing
  returning id`)

const take = statement(`
  with taken as (
    update window_contents
    set state = 'PENDING_SETTLEMENT', settlement_id = $1, changed_at = clock_timestamp()
    where id = any($2::text[]::integer[])
  ), stored as (
    insert into settlement_contents (settlement_id, content_id)
    select $1, id from unnest($2::text[]::integer[]) as contents (id)
  )
  insert into settlement_accounts (settlement_id, account_id, participant_id, participant, currency,
    net, state)
  select $1, account_id, participant_id, participant, currency, sum(net), 'PENDING_SETTLEMENT'
  from content_nets join window_contents on window_contents.id = content_id
  where content_id = any($2::text[]::integer[])
  group by account_id, participant_id, participant, currency`)

/** Undefined when a concurrent call has stored the request. */
export async function createSettlement(
  tx: Transaction,
  { requestId, modelId, reason }: { requestId: string; modelId: number; reason: string },
  contents: readonly TakenContent[],
): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(create, [requestId, modelId, reason])
  if (row === undefined) return undefined
  await tx.query(take, [row.id, textArray(contents.map(({ id }) => String(id)))])
  return row.id
}

const sums = statement(`
  select currency, sum(net) as net from settlement_accounts where settlement_id = $1
  group by currency having sum(net) <> 0`)

/** The nets must sum to zero: anything else is a bug, and nothing is stored. */
export async function assertBalanced(tx: Transaction, settlementId: number): Promise<void> {
  const wrong = await tx.query<{ currency: string; net: string }>(sums, [settlementId])
  if (wrong.length === 0) return
  const words = wrong.map(({ currency, net }) => `${net} ten-thousandths of ${currency}`)
  throw new Error(`the nets of a settlement come to ${words.join(', ')} instead of nothing`)
}

interface SettlementRow extends SettlementModel {
  readonly settlement_id: number
  readonly state: SettlementState
}

const settlementQuery = `
  select settlements.id as settlement_id, settlements.state, ${modelColumns}
  from settlements join settlement_models models on models.id = settlements.model_id
  where settlements.id = $1`
const find = statement(settlementQuery)
const lock = statement(`${settlementQuery} for update of settlements`)

const listAccounts = statement(`
  select account_id as "accountId", participant_id as "participantId", participant, currency, state,
    reason, external_reference as "externalReference", net
  from settlement_accounts where settlement_id = $1
  order by participant_id, account_id`)

type NetAccountRow = Omit<NetAccount, 'net'> & { readonly net: string }

export async function settlementOf(
  db: Queries,
  id: number,
  how: 'READ' | 'LOCK',
): Promise<StoredSettlement | undefined> {
  const [row] = await db.query<SettlementRow>(how === 'LOCK' ? lock : find, [id])
  if (row === undefined) return undefined
  const { settlement_id, state, ...model } = row
  const accounts = await db.query<NetAccountRow>(listAccounts, [id])
  return {
    id: settlement_id,
    state,
    model,
    accounts: accounts.map((account) => ({ ...account, net: BigInt(account.net) })),
  }
}

/** A step as it is stored before the ledger moves money for it. */
export interface OpenStep {
  readonly stepId: string
  readonly settlementId: number
  readonly changes: readonly AccountChange[]
  /** The settlement's state after it. */
  readonly state: SettlementState
  /** Of an abort, else null: the reason of the settlement itself. */
  readonly aborted: { readonly reason: string; readonly externalReference: string } | null
  readonly actor: string
  /** The id of the step in the ledger, unique among all steps. */
  readonly ledgerId: string
  /**
   * Whether a net sender's amount is no cover until its funds out are recorded, as it was when the
   * step was decided.
   */
  readonly excludesUnpaid: boolean
}

/** The stored JSON of a step. */
type StoredStep = Omit<OpenStep, 'stepId' | 'settlementId' | 'actor'>

interface StepRow {
  readonly id: string
  readonly settlement_id: number
  readonly step: string
  readonly actor: string
}

const stepColumns = 'id, settlement_id, step::text as step, actor'
const findStep = statement(`select ${stepColumns} from settlement_steps where settlement_id = $1`)
const listSteps = statement(`select ${stepColumns} from settlement_steps order by id`)
const intend = statement(`
  insert into settlement_steps (settlement_id, step, actor) values ($1, $2::text::jsonb, $3)
  returning ${stepColumns}`)
const endStep = statement('delete from settlement_steps where id = $1 returning id')

export async function openStepOf(db: Queries, settlementId: number): Promise<OpenStep | undefined> {
  const [row] = await db.query<StepRow>(findStep, [settlementId])
  return row && stepOf(row)
}

/** Steps that were begun and not finished. */
export async function openSteps(db: Queries): Promise<readonly OpenStep[]> {
  return (await db.query<StepRow>(listSteps, [])).map(stepOf)
}

export async function intendStep(
  tx: Transaction,
  { settlementId, actor, ...stored }: Omit<OpenStep, 'stepId'>,
): Promise<OpenStep> {
  const step = JSON.stringify(stored satisfies StoredStep)
  const [row] = await tx.query<StepRow>(intend, [settlementId, step, actor])
  if (row === undefined) throw new Error(`a step of settlement ${settlementId} was not stored`)
  return stepOf(row)
}

/** False when another process has ended it. */
export async function endOfStep(db: Queries, { stepId }: OpenStep): Promise<boolean> {
  return (await db.query(endStep, [stepId])).length > 0
}

function stepOf({ id, settlement_id, step, actor }: StepRow): OpenStep {
  return { stepId: id, settlementId: settlement_id, actor, ...(JSON.parse(step) as StoredStep) }
}

const saveAccounts = statement(`
  update settlement_accounts accounts
  set state = after.state, reason = after.reason, external_reference = after.external_reference,
    changed_at = clock_timestamp()
  from unnest($2::text[]::integer[], $3::text[], $4::text[], $5::text[])
    as after (account_id, state, reason, external_reference)
  where accounts.settlement_id = $1 and accounts.account_id = after.account_id`)

const saveState = statement(`
  update settlements set state = $2, changed_at = clock_timestamp() where id = $1`)

const saveReason = statement(`
  update settlements set reason = $2, external_reference = $3, changed_at = clock_timestamp()
  where id = $1`)

const saveContents = statement(`
  update window_contents contents set state = $2, changed_at = clock_timestamp()
  from settlement_contents taken
  where taken.settlement_id = $1 and contents.id = taken.content_id and contents.settlement_id = $1`)

export async function saveChanges(
  tx: Transaction,
  settlementId: number,
  changes: readonly AccountChange[],
): Promise<void> {
  if (changes.length === 0) return
  await tx.query(saveAccounts, [
    settlementId,
    textArray(changes.map(({ accountId }) => String(accountId))),
    textArray(changes.map(({ state }) => state)),
    textArray(changes.map(({ reason }) => reason)),
    textArray(changes.map(({ externalReference }) => externalReference)),
  ])
}

export async function saveSettlementState(
  tx: Transaction,
  settlementId: number,
  state: SettlementState,
): Promise<void> {
  await tx.query(saveState, [settlementId, state])
}

export async function saveSettlementReason(
  tx: Transaction,
  settlementId: number,
  { reason, externalReference }: { reason: string; externalReference: string },
): Promise<void> {
  await tx.query(saveReason, [settlementId, reason, externalReference])
}

/** Marks the contents of the settlement as settled, or as free to be settled again. */
export async function saveContentStates(
  tx: Transaction,
  settlementId: number,
  state: 'SETTLED' | 'ABORTED',
): Promise<void> {
  await tx.query(saveContents, [settlementId, state])
}

const pairSums = statement(`
  with flows as (
    select payer_account_id, payee_account_id, amount
    from settlement_contents taken
    join window_contents contents on contents.id = taken.content_id
    join window_flows using (window_id, model_id)
    where taken.settlement_id = $1 and payer_account_id <> payee_account_id
  ), sides as (
    select payer_account_id as payer, payee_account_id as payee, amount from flows
    union all
    select payee_account_id, payer_account_id, -amount from flows
  )
  select payer, payee, sum(amount) as amount from sides
  group by payer, payee having sum(amount) > 0
  order by payer, payee`)

/** What each participant owes each other one, over all windows of the settlement. */
export async function pairsOf(db: Queries, settlement: Settlement): Promise<readonly Pair[]> {
  const accounts = new Map(settlement.accounts.map((account) => [account.accountId, account]))
  const rows = await db.query<{ payer: number; payee: number; amount: string }>(pairSums, [
    settlement.id,
  ])
  return rows.flatMap((row) => {
    const payer = accounts.get(row.payer)
    const payee = accounts.get(row.payee)
    return payer === undefined || payee === undefined
      ? []
      : [{ payer, payee, amount: BigInt(row.amount) }]
  })
}

const grossLines = statement(`
  select day::text as day, window_id as "windowId", transfer_id as "transferId", kind,
    payer_fsp as "payerFsp", payee_fsp as "payeeFsp", amount, currency
  from lines
  where window_id = $1 and model_id = $2 and state = 'COMMITTED'
    and payer_account_id = any($3::text[]::integer[])
    and (day, transfer_id, kind) > ($4::text::date, $5, $6)
  order by day, transfer_id, kind
  limit $7`)

type GrossRow = Omit<GrossLine, 'amount'> & { readonly amount: string; readonly day: string }

/** The transfers of a window that these accounts paid under the model, in pages. */
export async function* grossPages(
  db: Database,
  windowId: number,
  modelId: number,
  payers: ReadonlySet<number>,
  limit: number,
): AsyncGenerator<readonly GrossLine[]> {
  const accounts = textArray([...payers].map(String))
  let after: readonly [string, string, string] = ['0001-01-01', '', '']
  for (;;) {
    const rows = await db.query<GrossRow>(grossLines, [
      windowId,
      modelId,
      accounts,
      ...after,
      limit,
    ])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => ({ ...row, amount: BigInt(row.amount) }))
    if (rows.length < limit) return
    after = [last.day, last.transferId, last.kind]
  }
}

/** The states of the accounts, for the audit entry. */
export function statesOf(accounts: readonly NetAccount[]): Readonly<Record<string, AccountState>> {
  return Object.fromEntries(accounts.map(({ accountId, state }) => [String(accountId), state]))
}
