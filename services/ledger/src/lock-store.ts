/**
 * The rows of a batch, read and locked with three statements in one round trip, for any number and
 * kind of commands.
 */
import { permittedIn, type States } from '@causeway/services'
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import { alarmsOf, type AlarmsJson } from './alarms/store.ts'
import { accountOf, type AccountRow } from './account-row.ts'
import type { AccountType } from './domain/account.ts'
import type { Watched } from './alarms/domain/alarm.ts'
import type { WatchedRows } from './alarms/domain/crossings.ts'
import { hubId, type TransferParty } from './domain/decision.ts'
import type { Command } from './domain/command.ts'
import type { FeeRule } from './domain/fee.ts'
import type { ModelRule } from './domain/model-rule.ts'
import { entryColumns, entryOf, type EntryRow } from './entry-store.ts'

/**
 * The writer reads every row by its key. A plan made while the tables were small must not go on
 * scanning them when they are large, so its session plans each statement once, by index alone.
 */
export async function planByKeys(db: Queries): Promise<void> {
  await db.query(keyPlans, [])
}

const keyPlans = statement(`
  select set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false), set_config('jit', 'off', false),
    set_config('plan_cache_mode', 'force_generic_plan', false)`)

const lockEntries = statement(`
  select ${entryColumns}, case when kind = 'FUNDS_OUT' then batch end as held_in from entries
  where id = any($1::text[])
  order by id
  for update`)

/** Of funds out that are held: the batch that wrote them, which is the one that held them. */
interface LockedEntryRow extends EntryRow {
  readonly held_in: string | null
}

const lockParties = statement(`
  select id, name, is_active, takes_transfers, takes_bulks, state from participants
  where name = any($1::text[])
  order by id
  for update`)

/**
 * The accounts of the participants named by the commands and by existing entries, in their
 * currencies; a deposit names an account, which may be in another currency, so that it can be
 * refused as such. The clock is read when the locks are held; without any account there is still
 * one row.
 */
const lockAccounts = statement(`
  with stored as (
    select payer_id, payee_id, currency, settles from entries where id = any($1::text[])
  ), held as (
    select id, participant_id, type, currency, is_active, debits_posted, debits_pending,
      credits_posted, credits_pending, excluded, excluded_percentage, unpaid, unpaid_batch,
      changed_at
    from accounts
    where participant_id = any(array(
        select id from participants where name = any($2::text[])
        union select payer_id from stored union select payee_id from stored
        union select ${hubId} from stored where settles = 'GROSS_IMMEDIATE_MULTILATERAL'))
      and currency = any(array(
        select unnest($3::text[]) union select currency from stored
        union select currency from accounts where id = any($4::text[]::integer[])))
      and type = any($5::text[] || array(select cover_type from settlement_rules))
    order by id
    for update
  ), stamped as (
    select window_id, nextval('batches') as batch, (
        select string_agg(concat_ws(' ', model_id, percentage, currency), ',')
        from interchange_fees) as fees, (
        select string_agg(
          concat_ws(' ', model_id, is_active, not is_check_off, cover_type, currency), ','
          order by model_id)
        from settlement_rules
        having bool_or(is_check_off or cover_type <> 'SETTLEMENT')) as models
    from current_window where is_current for update
  )
  select clock_timestamp()::timestamptz(3) as now, stamped.batch, stamped.window_id, stamped.fees,
    stamped.models, held.*, limits.value as cap, limits.alarm_percentage, limits.alarms
  from stamped
  left join held on true
  left join limits on limits.account_id = held.id and limits.is_active
    and limits.type = 'NET_DEBIT_CAP'`)

interface PartyRow {
  readonly id: number
  readonly name: string
  readonly is_active: boolean
  readonly takes_transfers: boolean
  readonly takes_bulks: boolean
  readonly state: string
}

/**
 * Each row begins with the values that the batch needs once; without accounts there is one row with
 * these alone.
 */
interface LockedRow extends Omit<AccountRow, 'id'> {
  readonly now: Date
  readonly batch: string
  readonly window_id: number
  readonly fees: string | null
  readonly models: string | null
  readonly id: number | null
  readonly alarm_percentage: string | null
  readonly alarms: AlarmsJson | null
}

function isOfAccount(row: LockedRow): row is LockedRow & AccountRow {
  return row.id !== null
}

/** Locks what the commands can touch. */
export function lockRows(
  tx: Transaction,
  commands: readonly Command[],
  { hubName, states }: { readonly hubName: string; readonly states: States },
): Promise<WatchedRows> {
  return lockNamed(tx, states, {
    ids: unique(commands.map(({ id }) => id)),
    names: namesIn(commands, hubName),
    currencies: unique(commands.flatMap((command) => currencyIn(command) ?? [])),
    accountIds: commands.flatMap(accountIn),
    types: everydayTypes,
  })
}

/** What to lock, without duplicates. */
export interface LockTargets {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly currencies: readonly string[]
  /** Accounts that bring their own currencies with them. */
  readonly accountIds: readonly number[]
  readonly types: Buffer
}

/**
 * Locks in a fixed order: ids, participants, accounts, window. The three statements are sent
 * together, because each selects by ids and names alone.
 */
export async function lockNamed(
  tx: Transaction,
  states: States,
  named: LockTargets,
): Promise<WatchedRows> {
  const ids = textArray(named.ids)
  const names = textArray(named.names)
  const [entries, parties, rows] = await Promise.all([
    tx.query<LockedEntryRow>(lockEntries, [ids]),
    tx.query<PartyRow>(lockParties, [names]),
    tx.query<LockedRow>(lockAccounts, [
      ids,
      names,
      textArray(named.currencies),
      textArray(named.accountIds.map(String)),
      named.types,
    ]),
  ])
  const [first] = rows
  if (first === undefined) throw new Error('the ledger has no current window')
  return {
    now: first.now,
    batch: BigInt(first.batch),
    windowId: first.window_id,
    fees: feesIn(first.fees),
    models: modelsIn(first.models),
    entries: entries.map(entryOf),
    heldIn: heldIn(entries),
    parties: parties.map((row) => partyOf(row, states)),
    accounts: rows.filter(isOfAccount).map(accountOf),
    watched: rows.flatMap(watchedOf),
  }
}

export const everydayTypes = textArray([
  'POSITION',
  'SETTLEMENT',
  'INTERCHANGE_FEE',
  'HUB_RECONCILIATION',
  'HUB_MULTILATERAL_SETTLEMENT',
  'HUB_OPENING_BALANCE',
] satisfies AccountType[])

/** What the steps of settlements move, and the accounts behind it. */
export const settledTypes = textArray([
  'POSITION',
  'SETTLEMENT',
  'INTERCHANGE_FEE',
  'INTERCHANGE_FEE_SETTLEMENT',
  'HUB_MULTILATERAL_SETTLEMENT',
] satisfies AccountType[])

const noneHeld: ReadonlyMap<string, bigint> = new Map()

/** Most batches have no funds out. */
function heldIn(rows: readonly LockedEntryRow[]): ReadonlyMap<string, bigint> {
  const held = rows.flatMap(({ id, held_in }) =>
    held_in === null ? [] : [[id, BigInt(held_in)] as const],
  )
  return held.length === 0 ? noneHeld : new Map(held)
}

const noFees: ReadonlyMap<string, FeeRule> = new Map()

/** "modelId percentage currency", with commas between. */
function feesIn(text: string | null): ReadonlyMap<string, FeeRule> {
  if (text === null) return noFees
  return new Map(
    text.split(',').map((rule) => {
      const [modelId = '', percentage = '', currency = ''] = rule.split(' ')
      return [currency, { modelId: Number(modelId), percentage: BigInt(percentage) }]
    }),
  )
}

const usualModels: readonly ModelRule[] = []

/** "modelId isActive isChecked coverType currency", with commas between; a currency may be empty. */
function modelsIn(text: string | null): readonly ModelRule[] {
  if (text === null) return usualModels
  return text.split(',').map((rule) => {
    const [modelId = '', isActive, isChecked, coverType, currency = ''] = rule.split(' ')
    return {
      modelId: Number(modelId),
      currency,
      isActive: isActive === 't',
      isChecked: isChecked === 't',
      coverType: coverType === 'SETTLEMENT' ? coverType : 'INTERCHANGE_FEE_SETTLEMENT',
    }
  })
}

function namesIn(commands: readonly Command[], hubName: string): readonly string[] {
  return unique(
    commands.flatMap((command) => {
      if (command.type === 'RESERVE') {
        const { settlement, terms } = command
        const isThroughHub = settlement?.settles === 'GROSS_IMMEDIATE_MULTILATERAL'
        return [terms.payer, terms.payee, ...(isThroughHub ? [hubName] : [])]
      }
      return 'participant' in command ? [command.participant, hubName] : []
    }),
  )
}

function currencyIn(command: Command): string | undefined {
  if (command.type === 'RESERVE') return command.terms.currency
  return 'currency' in command ? command.currency : undefined
}

/** The account that a movement of funds names. */
function accountIn(command: Command): readonly number[] {
  return command.type === 'DEPOSIT' || command.type === 'WITHDRAW' ? [command.accountId] : []
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)]
}

function partyOf(row: PartyRow, states: States): TransferParty {
  return {
    id: row.id,
    name: row.name,
    isActive: row.is_active,
    takesTransfers: row.takes_transfers,
    takesBulks: row.takes_bulks,
    permits: permittedIn(states, row.state),
  }
}

function watchedOf({ id, alarm_percentage, alarms }: LockedRow): readonly Watched[] {
  if (id === null || alarm_percentage === null) return []
  return [{ accountId: id, alarmPercentage: BigInt(alarm_percentage), alarms: alarmsOf(alarms) }]
}
