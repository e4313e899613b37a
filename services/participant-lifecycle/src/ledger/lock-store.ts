/**
 * The rows of a batch, read and locked: three statements, however many commands the batch has and
 * whatever they are.
 */
import { statement, textArray, type Queries, type Transaction } from '@causeway/runtime'
import type { Account, AccountType } from './domain/account.ts'
import type { LockedRows, Party } from './domain/book.ts'
import type { Command } from './domain/command.ts'
import type { Entry } from './domain/entry.ts'
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

/** The clock is read when the locks are held; without any account there is one row all the same. */
const lockAccounts = statement(`
  with held as (
    select id, participant_id, type, currency, is_active, debits_posted, debits_pending,
      credits_posted, credits_pending, excluded, changed_at
    from accounts
    where participant_id = any($1::text[]::integer[]) and currency = any($2::text[])
      and type = any($3::text[])
    order by id
    for update
  ), stamped as (
    select window_id from current_window where is_current for update
  )
  select clock_timestamp()::timestamptz(3) as now, stamped.window_id, held.*, limits.value as cap
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

/** Locks what the commands can touch, in the one order: ids, participants, accounts, window. */
export async function lockRows(
  tx: Transaction,
  commands: readonly Command[],
  hubName: string,
): Promise<LockedRows> {
  const [entries, parties] = await Promise.all([
    lockStored(tx, commands),
    lockNamed(tx, namesIn(commands, hubName)),
  ])
  const owners = unique([
    ...parties.map(({ id }) => id),
    ...entries.flatMap(({ parties: { payerId, payeeId } }) => [payerId, payeeId]),
  ]).filter((id) => id !== null)
  const currencies = unique([
    ...commands.flatMap((command) => currencyIn(command) ?? []),
    ...entries.flatMap(({ terms }) => terms?.currency ?? []),
  ])
  const rows = await tx.query<AccountRow>(lockAccounts, [
    textArray(owners.map(String)),
    textArray(currencies),
    movedTypes,
  ])
  const [first] = rows
  if (first === undefined) throw new Error('the ledger has no current window')
  const accounts = rows.filter(({ id }) => id !== null).map(accountOf)
  return { now: first.now, windowId: first.window_id, entries, parties, accounts }
}

const movedTypes = textArray([
  'POSITION',
  'SETTLEMENT',
  'HUB_RECONCILIATION',
  'HUB_OPENING_BALANCE',
] satisfies AccountType[])

async function lockStored(
  tx: Transaction,
  commands: readonly Command[],
): Promise<readonly Entry[]> {
  const ids = textArray(unique(commands.map(({ id }) => id)))
  return (await tx.query<EntryRow>(lockEntries, [ids])).map(entryOf)
}

async function lockNamed(tx: Transaction, names: readonly string[]): Promise<readonly Party[]> {
  if (names.length === 0) return []
  const rows = await tx.query<PartyRow>(lockParties, [textArray(names)])
  return rows.map(({ id, name, is_active }) => ({ id, name, isActive: is_active }))
}

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
