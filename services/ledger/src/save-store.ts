/**
 * Builds the one statement that saves a batch. It contains only the parts that the batch needs:
 * most batches are all prepares or all fulfils, and a part without rows costs as much as a row.
 */
import { byteaArray, statement, textArray, type Statement, type Value } from '@causeway/postgres'
import type { Account } from './domain/account.ts'
import type { BookChanges, Debt, JournalLine, LockedRows, WindowGain } from './domain/book.ts'
import type { Entry } from './domain/entry.ts'

/** A statement that is ready to be run. */
export interface Saving {
  readonly statement: Statement
  readonly values: readonly Value[]
}

/**
 * The statement that saves the changes; undefined if there are none. Journal lines are filed under
 * `month`. The database refuses an id that exists, or a balance below zero.
 */
export function savingOf(
  { now, batch, windowId }: Pick<LockedRows, 'now' | 'batch' | 'windowId'>,
  { entered, completed, accounts, isUnpaidChanged, debts, journal, gains }: BookChanges,
  month: string,
): Saving | undefined {
  const time = now.toISOString()
  const number = String(batch)
  const parts: StatementPart[] = []
  const values: Value[] = []
  const add = (part: StatementPart, ...columns: readonly Value[]) => {
    parts.push(part)
    values.push(...columns)
  }
  if (entered.some(({ fee }) => fee !== null)) {
    add('enteredWithFees', time, number, ...enteredColumns(entered), ...feeColumns(entered))
  } else if (entered.length > 0) add('entered', time, number, ...enteredColumns(entered))
  if (completed.length > 0) add('completed', time, number, ...completedColumns(completed))
  if (accounts.length > 0 && isUnpaidChanged) {
    add('balancedUnpaid', time, number, ...balancedColumns(accounts), ...unpaidColumns(accounts))
  } else if (accounts.length > 0) add('balanced', time, number, ...balancedColumns(accounts))
  if (debts.length > 0) add('owed', number, ...owedColumns(debts))
  if (journal.length > 0) add('journalled', month, time, number, ...journalColumns(journal))
  if (gains.length > 0) add('gained', windowId, ...gainedColumns(gains))
  return parts.length === 0 ? undefined : { statement: saving(parts), values }
}

type StatementPart = keyof typeof partTexts

/** Each `?` becomes the next parameter. `window_net` is incremented, never overwritten. */
const partTexts = {
  entered: `entered as (
    insert into entries (created_at, batch, id, kind, outcome, reason, payer_fsp, payee_fsp, amount,
      currency, expires_at, payer_id, payee_id, debit_account_id, credit_account_id, model_id,
      settles, window_id, position, cover, cap, evidence, completed_at)
    select ?::timestamptz, ?::bigint, * from unnest(?::text[], ?::text[], ?::text[], ?::text[],
      ?::text[], ?::text[], ?::text[]::numeric[], ?::text[], ?::text[]::timestamptz[], ?::text[]::integer[],
      ?::text[]::integer[], ?::text[]::integer[], ?::text[]::integer[], ?::text[]::integer[],
      ?::text[], ?::text[]::integer[], ?::text[]::numeric[], ?::text[]::numeric[],
      ?::text[]::numeric[], ?::bytea[], ?::text[]::timestamptz[])
  )`,
  enteredWithFees: `entered as (
    insert into entries (created_at, batch, id, kind, outcome, reason, payer_fsp, payee_fsp, amount,
      currency, expires_at, payer_id, payee_id, debit_account_id, credit_account_id, model_id,
      settles, window_id, position, cover, cap, evidence, completed_at, fee, fee_model_id)
    select ?::timestamptz, ?::bigint, * from unnest(?::text[], ?::text[], ?::text[], ?::text[],
      ?::text[], ?::text[], ?::text[]::numeric[], ?::text[], ?::text[]::timestamptz[], ?::text[]::integer[],
      ?::text[]::integer[], ?::text[]::integer[], ?::text[]::integer[], ?::text[]::integer[],
      ?::text[], ?::text[]::integer[], ?::text[]::numeric[], ?::text[]::numeric[],
      ?::text[]::numeric[], ?::bytea[], ?::text[]::timestamptz[], ?::text[]::numeric[],
      ?::text[]::integer[])
  )`,
  completed: `completed as (
    update entries
    set completed_at = ?::timestamptz, batch = ?::bigint, outcome = final.outcome, reason = final.reason,
      window_id = final.window_id, evidence = final.evidence
    from unnest(?::text[], ?::text[], ?::text[], ?::text[]::integer[], ?::bytea[])
      as final (id, outcome, reason, window_id, evidence)
    where entries.id = final.id
  )`,
  balanced: `balanced as (
    update accounts
    set changed_at = ?::timestamptz, batch = ?::bigint, debits_posted = after.debits_posted,
      debits_pending = after.debits_pending, credits_posted = after.credits_posted,
      credits_pending = after.credits_pending
    from unnest(?::text[]::integer[], ?::text[]::numeric[], ?::text[]::numeric[],
      ?::text[]::numeric[], ?::text[]::numeric[])
      as after (id, debits_posted, debits_pending, credits_posted, credits_pending)
    where accounts.id = after.id
  )`,
  balancedUnpaid: `balanced as (
    update accounts
    set changed_at = ?::timestamptz, batch = ?::bigint, debits_posted = after.debits_posted,
      debits_pending = after.debits_pending, credits_posted = after.credits_posted,
      credits_pending = after.credits_pending, unpaid = after.unpaid,
      unpaid_batch = after.unpaid_batch
    from unnest(?::text[]::integer[], ?::text[]::numeric[], ?::text[]::numeric[],
      ?::text[]::numeric[], ?::text[]::numeric[], ?::text[]::numeric[], ?::text[]::bigint[])
      as after (id, debits_posted, debits_pending, credits_posted, credits_pending, unpaid,
        unpaid_batch)
    where accounts.id = after.id
  )`,
  owed: `owed as (
    insert into unpaid_debts (batch, entry_id, account_id)
    select ?::bigint, * from unnest(?::text[], ?::text[]::integer[])
  )`,
  journalled: `journalled as (
    insert into journal (month, at, batch, entry_id, step, debit_account_id, credit_account_id, amount)
    select ?::date, ?::timestamptz, ?::bigint, * from unnest(?::text[], ?::text[], ?::text[]::integer[],
      ?::text[]::integer[], ?::text[]::numeric[])
  )`,
  gained: `gained as (
    select ?::integer as window_id, * from unnest(?::text[]::integer[], ?::text[]::integer[],
      ?::text[]::numeric[], ?::text[]::bigint[]) as gained (model_id, account_id, net, count)
  ), counted as (
    update window_net
    set net = window_net.net + gained.net,
      transfers_count = window_net.transfers_count + gained.count
    from gained
    where window_net.window_id = gained.window_id and window_net.model_id = gained.model_id
      and window_net.account_id = gained.account_id
    returning window_net.model_id, window_net.account_id
  ), begun as (
    insert into window_net (window_id, model_id, account_id, net, transfers_count)
    select window_id, model_id, account_id, net, count from gained
    where (model_id, account_id) not in (select model_id, account_id from counted)
  )`,
} as const

/** One prepared statement for each combination of parts that occurs. */
const savings = new Map<string, Statement>()

function saving(parts: readonly StatementPart[]): Statement {
  const key = parts.join()
  const known = savings.get(key)
  if (known !== undefined) return known
  let parameter = 0
  const text = `with ${parts.map((part) => partTexts[part]).join(', ')} select`
  const made = statement(text.replaceAll('?', () => `$${++parameter}`))
  savings.set(key, made)
  return made
}

function enteredColumns(entries: readonly Entry[]): readonly Buffer[] {
  const column = (value: (entry: Entry) => Cell) => textColumn(entries, value)
  return [
    column(({ id }) => id),
    column(({ kind }) => kind),
    column(({ outcome }) => outcome),
    column(({ reason }) => reason ?? ''),
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

function feeColumns(entries: readonly Entry[]): readonly Buffer[] {
  return [
    textColumn(entries, ({ fee }) => fee?.amount),
    textColumn(entries, ({ fee }) => fee?.modelId),
  ]
}

function completedColumns(entries: readonly Entry[]): readonly Buffer[] {
  return [
    textColumn(entries, ({ id }) => id),
    textColumn(entries, ({ outcome }) => outcome),
    textColumn(entries, ({ reason }) => reason ?? ''),
    textColumn(entries, ({ windowId }) => windowId),
    evidenceColumn(entries),
  ]
}

function balancedColumns(accounts: readonly Account[]): readonly Buffer[] {
  return [
    textColumn(accounts, ({ id }) => id),
    textColumn(accounts, ({ debitsPosted }) => debitsPosted),
    textColumn(accounts, ({ debitsPending }) => debitsPending),
    textColumn(accounts, ({ creditsPosted }) => creditsPosted),
    textColumn(accounts, ({ creditsPending }) => creditsPending),
  ]
}

function unpaidColumns(accounts: readonly Account[]): readonly Buffer[] {
  return [
    textColumn(accounts, ({ unpaid }) => unpaid),
    textColumn(accounts, ({ unpaidBatch }) => unpaidBatch),
  ]
}

function owedColumns(debts: readonly Debt[]): readonly Buffer[] {
  return [
    textColumn(debts, ({ entryId }) => entryId),
    textColumn(debts, ({ accountId }) => accountId),
  ]
}

function journalColumns(journal: readonly JournalLine[]): readonly Buffer[] {
  return [
    textColumn(journal, ({ entryId }) => entryId),
    textColumn(journal, ({ step }) => step),
    textColumn(journal, ({ debitAccountId }) => debitAccountId),
    textColumn(journal, ({ creditAccountId }) => creditAccountId),
    textColumn(journal, ({ amount }) => amount),
  ]
}

function gainedColumns(gains: readonly WindowGain[]): readonly Buffer[] {
  return [
    textColumn(gains, ({ modelId }) => modelId),
    textColumn(gains, ({ accountId }) => accountId),
    textColumn(gains, ({ net }) => net),
    textColumn(gains, ({ count }) => count),
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
