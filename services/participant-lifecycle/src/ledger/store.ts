/**
 * The rows of a batch: read and locked with three statements, saved with one, however many commands
 * the batch has and whatever they are.
 */
import {
  byteaArray,
  monthOf,
  statement,
  textArray,
  type Queries,
  type Transaction,
} from '@causeway/runtime'
import type { Account, AccountType } from './domain/account.ts'
import type { Changes, LockedRows, Party } from './domain/book.ts'
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
  const ids = textArray(unique(commands.map(({ id }) => id)))
  const entries = (await tx.query<EntryRow>(lockEntries, [ids])).map(entryOf)
  const names = namesIn(commands, hubName)
  const parties = names.length === 0 ? [] : await lockNamed(tx, names)
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

async function lockNamed(tx: Transaction, names: readonly string[]): Promise<readonly Party[]> {
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

/** What a batch changed goes in with one statement. `window_net` is counted up, never overwritten. */
const save = statement(`
  with entered as (
    insert into entries (id, kind, outcome, reason, payer_fsp, payee_fsp, amount, currency,
      expires_at, payer_id, payee_id, debit_account_id, credit_account_id, model_id, settles,
      window_id, position, cover, cap, evidence, completed_at, created_at)
    select *, $1::timestamptz
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[]::numeric[], $9::text[], $10::text[]::timestamptz[], $11::text[]::integer[],
      $12::text[]::integer[], $13::text[]::integer[], $14::text[]::integer[],
      $15::text[]::integer[], $16::text[], $17::text[]::integer[], $18::text[]::numeric[],
      $19::text[]::numeric[], $20::text[]::numeric[], $21::bytea[], $22::text[]::timestamptz[])
  ), completed as (
    update entries
    set outcome = final.outcome, reason = final.reason, window_id = final.window_id,
      evidence = final.evidence, completed_at = $1::timestamptz
    from unnest($23::text[], $24::text[], $25::text[], $26::text[]::integer[], $27::bytea[])
      as final (id, outcome, reason, window_id, evidence)
    where entries.id = final.id
  ), balanced as (
    update accounts
    set debits_posted = after.debits_posted, debits_pending = after.debits_pending,
      credits_posted = after.credits_posted, credits_pending = after.credits_pending,
      changed_at = $1::timestamptz
    from unnest($28::text[]::integer[], $29::text[]::numeric[], $30::text[]::numeric[],
      $31::text[]::numeric[], $32::text[]::numeric[])
      as after (id, debits_posted, debits_pending, credits_posted, credits_pending)
    where accounts.id = after.id
  ), journalled as (
    insert into journal (month, at, entry_id, step, debit_account_id, credit_account_id, amount)
    select $33::date, $1::timestamptz, *
    from unnest($34::text[], $35::text[], $36::text[]::integer[], $37::text[]::integer[],
      $38::text[]::numeric[])
  ), gained as (
    select $39::integer as window_id, * from unnest($40::text[]::integer[],
      $41::text[]::integer[], $42::text[]::numeric[], $43::text[]::bigint[])
      as gained (model_id, account_id, net, transfers_count)
  ), counted as (
    update window_net
    set net = window_net.net + gained.net,
      transfers_count = window_net.transfers_count + gained.transfers_count
    from gained
    where window_net.window_id = gained.window_id and window_net.model_id = gained.model_id
      and window_net.account_id = gained.account_id
    returning window_net.model_id, window_net.account_id
  )
  insert into window_net (window_id, model_id, account_id, net, transfers_count)
  select window_id, model_id, account_id, net, transfers_count from gained
  where (model_id, account_id) not in (select model_id, account_id from counted)`)

/** Saves what the batch changed; the database refuses an id that is there, or a balance below zero. */
export async function saveChanges(
  tx: Transaction,
  { now, windowId }: Pick<LockedRows, 'now' | 'windowId'>,
  { entered, completed, accounts, journal, gains }: Changes,
): Promise<void> {
  if (entered.length === 0 && completed.length === 0) return
  const column = textColumn
  await tx.query(save, [
    now.toISOString(),
    ...enteredColumns(entered),
    ...completedColumns(completed),
    column(accounts, ({ id }) => id),
    column(accounts, ({ debitsPosted }) => debitsPosted),
    column(accounts, ({ debitsPending }) => debitsPending),
    column(accounts, ({ creditsPosted }) => creditsPosted),
    column(accounts, ({ creditsPending }) => creditsPending),
    monthOf(now),
    column(journal, ({ entryId }) => entryId),
    column(journal, ({ step }) => step),
    column(journal, ({ debitAccountId }) => debitAccountId),
    column(journal, ({ creditAccountId }) => creditAccountId),
    column(journal, ({ amount }) => amount),
    windowId,
    column(gains, ({ modelId }) => modelId),
    column(gains, ({ accountId }) => accountId),
    column(gains, ({ net }) => net),
    column(gains, ({ count }) => count),
  ])
}

function enteredColumns(entries: readonly Entry[]): readonly Buffer[] {
  const column = (value: (entry: Entry) => Cell) => textColumn(entries, value)
  return [
    column(({ id }) => id),
    column(({ kind }) => kind),
    column(({ outcome }) => outcome),
    column(({ reason }) => reason),
    column(({ terms }) => terms?.payer),
    column(({ terms }) => terms?.payee),
    column(({ terms }) => terms?.amount),
    column(({ terms }) => terms?.currency),
    column(({ expiresAt }) => expiresAt?.toISOString()),
    column(({ parties }) => parties.payerId),
    column(({ parties }) => parties.payeeId),
    column(({ accounts }) => accounts?.debitAccountId),
    column(({ accounts }) => accounts?.creditAccountId),
    column(({ settlement }) => settlement?.modelId),
    column(({ settlement }) => settlement?.settles),
    column(({ windowId }) => windowId),
    column(({ facts }) => facts?.position),
    column(({ facts }) => facts?.cover),
    column(({ facts }) => facts?.cap),
    evidenceColumn(entries),
    column(({ completedAt }) => completedAt?.toISOString()),
  ]
}

function completedColumns(entries: readonly Entry[]): readonly Buffer[] {
  return [
    textColumn(entries, ({ id }) => id),
    textColumn(entries, ({ outcome }) => outcome),
    textColumn(entries, ({ reason }) => reason),
    textColumn(entries, ({ windowId }) => windowId),
    evidenceColumn(entries),
  ]
}

function evidenceColumn(entries: readonly Entry[]): Buffer {
  return byteaArray(entries.map(({ evidence }) => (evidence.length === 0 ? null : evidence)))
}

type Cell = string | number | bigint | null | undefined

function textColumn<Row>(rows: readonly Row[], value: (row: Row) => Cell): Buffer {
  return textArray(
    rows.map((row) => {
      const cell = value(row)
      return cell === null || cell === undefined ? null : String(cell)
    }),
  )
}
