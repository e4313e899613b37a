/**
 * The rows of a batch, read and locked with three statements in one trip to the database, however many
 * commands the batch has and whatever they are.
 */
import { statement, textArray, type Queries, type Transaction } from '@causeway/runtime'
import type { Account, AccountType } from './domain/account.ts'
import type { LockedRows } from './domain/book.ts'
import type { Command } from './domain/command.ts'
import { entryColumns, entryOf, type EntryRow } from './entry-store.ts'

/**
 * The writer knows every row by its key. A plan made while the tables were small must not go on
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
  select ${entryColumns} from entries
  where id = any($1::text[])
  order by id
  for update`)

const lockParties = statement(`
  select id, name, is_active from participants
  where name = any($1::text[])
  order by id
  for update`)

/**
 * The accounts of those who are named by the commands and by the entries that are there, in their
 * currencies; a deposit names an account, which may be in another currency, and is to be told so.
 * The clock is read when the locks are held; without any account there is one row all the same.
 */
const lockAccounts = statement(`
  with stored as (
    select payer_id, payee_id, currency from entries where id = any($1::text[])
  ), held as (
    select id, participant_id, type, currency, is_active, debits_posted, debits_pending,
      credits_posted, credits_pending, excluded, changed_at
    from accounts
    where participant_id = any(array(
        select id from participants where name = any($2::text[])
        union select payer_id from stored union select payee_id from stored))
      and currency = any(array(
        select unnest($3::text[]) union select currency from stored
        union select currency from accounts where id = any($4::text[]::integer[])))
      and type = any($5::text[])
    order by id
    for update
  ), stamped as (
    select window_id, nextval('batches') as batch from current_window where is_current for update
  )
  select clock_timestamp()::timestamptz(3) as now, stamped.batch, stamped.window_id, held.*,
    limits.value as cap
  from stamped
  left join held on true
  left join limits on limits.account_id = held.id and limits.is_active
    and limits.type = 'NET_DEBIT_CAP'`)

interface PartyRow {
  readonly id: number
  readonly name: string
  readonly is_active: boolean
}

interface AccountRow {
  readonly now: Date
  readonly batch: string
  readonly window_id: number
  readonly id: number | null
  readonly participant_id: number
  readonly type: string
  readonly currency: string
  readonly is_active: boolean
  readonly debits_posted: string
  readonly debits_pending: string
  readonly credits_posted: string
  readonly credits_pending: string
  readonly excluded: string
  readonly changed_at: Date
  readonly cap: string | null
}

/**
 * Locks what the commands can touch, in the one order: ids, participants, accounts, window. The three
 * statements travel together, in this order, for each asks by ids and names alone.
 */
export async function lockRows(
  tx: Transaction,
  commands: readonly Command[],
  hubName: string,
): Promise<LockedRows> {
  const ids = textArray(unique(commands.map(({ id }) => id)))
  const names = textArray(namesIn(commands, hubName))
  const [entries, parties, rows] = await Promise.all([
    tx.query<EntryRow>(lockEntries, [ids]),
    tx.query<PartyRow>(lockParties, [names]),
    tx.query<AccountRow>(lockAccounts, [
      ids,
      names,
      textArray(unique(commands.flatMap((command) => currencyIn(command) ?? []))),
      textArray(commands.flatMap(accountIn).map(String)),
      movedTypes,
    ]),
  ])
  const [first] = rows
  if (first === undefined) throw new Error('the ledger has no current window')
  return {
    now: first.now,
    batch: BigInt(first.batch),
    windowId: first.window_id,
    entries: entries.map(entryOf),
    parties: parties.map(({ id, name, is_active }) => ({ id, name, isActive: is_active })),
    accounts: rows.filter(({ id }) => id !== null).map(accountOf),
  }
}

const movedTypes = textArray([
  'POSITION',
  'SETTLEMENT',
  'HUB_RECONCILIATION',
  'HUB_OPENING_BALANCE',
] satisfies AccountType[])

function namesIn(commands: readonly Command[], hubName: string): readonly string[] {
  return unique(
    commands.flatMap((command) => {
      if (command.type === 'RESERVE') return [command.terms.payer, command.terms.payee]
      return 'participant' in command ? [command.participant, hubName] : []
    }),
  )
}

function currencyIn(command: Command): string | undefined {
  if (command.type === 'RESERVE') return command.terms.currency
  return 'currency' in command ? command.currency : undefined
}

/** The account that a deposit names. */
function accountIn(command: Command): readonly number[] {
  return command.type === 'DEPOSIT' ? [command.accountId] : []
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)]
}

function accountOf(row: AccountRow): Account {
  return {
    id: row.id ?? 0,
    participantId: row.participant_id,
    type: row.type,
    currency: row.currency,
    isActive: row.is_active,
    debitsPosted: BigInt(row.debits_posted),
    debitsPending: BigInt(row.debits_pending),
    creditsPosted: BigInt(row.credits_posted),
    creditsPending: BigInt(row.credits_pending),
    cap: row.cap === null ? null : BigInt(row.cap),
    excluded: BigInt(row.excluded),
    changedAt: row.changed_at,
  }
}
