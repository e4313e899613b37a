/** The comparisons that verify is made of, each one statement that finds what does not agree. */
import { statement, type Queries } from '@causeway/runtime'

/** One of the four balances of an account that its journal does not explain. */
export interface Balance {
  readonly id: number
  readonly participant: string
  readonly type: string
  readonly currency: string
  readonly balance: string
  readonly stored: string
  readonly journal: string
}

export interface Page<Difference> {
  readonly compared: number
  readonly lastId: number
  readonly different: readonly Difference[]
}

/** Each line counts on its two accounts: RESERVE makes pending, POST turns it into posted, VOID ends it. */
const compareAccounts = statement(`
  with page as (
    select id, participant_id, type, currency, debits_posted, debits_pending, credits_posted,
      credits_pending
    from accounts where id > $1 order by id limit $2
  ), lines as (
    select debit_account_id as account_id, true as is_debit, step, amount from journal
    where debit_account_id in (select id from page)
    union all
    select credit_account_id, false, step, amount from journal
    where credit_account_id in (select id from page)
  ), sums as (
    select account_id, is_debit,
      coalesce(sum(amount) filter (where step not in ('RESERVE', 'VOID')), 0) as posted,
      sum(case step when 'RESERVE' then amount when 'POST' then -amount when 'VOID' then -amount
        else 0 end) as pending
    from lines group by account_id, is_debit
  ), compared as (
    select page.id, participants.name as participant, page.type, page.currency,
      side.balance, side.stored, side.journal
    from page
    join participants on participants.id = page.participant_id
    left join sums debits on debits.account_id = page.id and debits.is_debit
    left join sums credits on credits.account_id = page.id and not credits.is_debit
    cross join lateral (values
      ('posted debits', page.debits_posted, coalesce(debits.posted, 0)),
      ('pending debits', page.debits_pending, coalesce(debits.pending, 0)),
      ('posted credits', page.credits_posted, coalesce(credits.posted, 0)),
      ('pending credits', page.credits_pending, coalesce(credits.pending, 0))
    ) as side (balance, stored, journal)
  )
  select counted.compared, counted.last_id, different.*
  from (select count(*)::integer as compared, coalesce(max(id), 0) as last_id from page) counted
  left join (select * from compared where stored <> journal) different on true`)

interface AccountRow extends Omit<Balance, 'id'> {
  readonly compared: number
  readonly last_id: number
  readonly id: number | null
}

export async function accountDifferences(
  tx: Queries,
  afterId: number,
  limit: number,
): Promise<Page<Balance>> {
  const rows = await tx.query<AccountRow>(compareAccounts, [afterId, limit])
  return {
    compared: rows[0]?.compared ?? 0,
    lastId: rows[0]?.last_id ?? 0,
    different: rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }])),
  }
}

const compareCurrencies = statement(`
  select currency, side.kind, side.debits, side.credits
  from (
    select currency, sum(debits_posted) as debits_posted, sum(credits_posted) as credits_posted,
      sum(debits_pending) as debits_pending, sum(credits_pending) as credits_pending
    from accounts group by currency
  ) sums
  cross join lateral (values
    ('posted', debits_posted, credits_posted), ('pending', debits_pending, credits_pending)
  ) as side (kind, debits, credits)
  where side.debits <> side.credits
  order by currency, side.kind`)

export interface CurrencyDifference {
  readonly currency: string
  readonly kind: string
  readonly debits: string
  readonly credits: string
}

export function currencyDifferences(tx: Queries): Promise<readonly CurrencyDifference[]> {
  return tx.query(compareCurrencies, [])
}

/** The steps that an outcome implies, with accounts and amount, against the steps that are there. */
const compareEntries = statement(`
  with page as (
    select * from entries where id > $1 order by id limit $2
  ), steps as (
    select page.id,
      string_agg(journal.step, ' ' order by journal.step collate "C") as steps,
      bool_and(journal.amount = page.amount and (journal.step in ('GROSS_PAYER', 'GROSS_PAYEE')
        or (journal.debit_account_id, journal.credit_account_id)
          = (page.debit_account_id, page.credit_account_id))) as agrees
    from page join journal on journal.entry_id = page.id
    group by page.id
  ), compared as (
    select page.id, page.kind, page.outcome,
      coalesce(steps.steps, '') || case when steps.agrees is not false then ''
        else ' (of another amount or between other accounts)' end as steps,
      case
        when page.debit_account_id is null then ''
        when page.kind <> 'TRANSFER' and page.outcome = 'POSTED' then 'MOVE'
        when page.outcome = 'RESERVED' then 'RESERVE'
        when page.outcome = 'POSTED' and page.settles = 'GROSS_IMMEDIATE'
          then 'GROSS_PAYEE GROSS_PAYER POST RESERVE'
        when page.outcome = 'POSTED' then 'POST RESERVE'
        else 'RESERVE VOID'
      end as expected
    from page left join steps on steps.id = page.id
  )
  select counted.compared, counted.last_id, different.*
  from (select count(*)::integer as compared, coalesce(max(id), '') as last_id from page) counted
  left join (select * from compared where steps <> expected) different on true`)

export interface EntryDifference {
  readonly id: string
  readonly kind: string
  readonly outcome: string
  readonly steps: string
  readonly expected: string
}

interface EntryRow extends Omit<EntryDifference, 'id'> {
  readonly compared: number
  readonly last_id: string
  readonly id: string | null
}

export async function entryDifferences(
  tx: Queries,
  afterId: string,
  limit: number,
): Promise<{
  readonly compared: number
  readonly lastId: string
  readonly different: readonly EntryDifference[]
}> {
  const rows = await tx.query<EntryRow>(compareEntries, [afterId, limit])
  return {
    compared: rows[0]?.compared ?? 0,
    lastId: rows[0]?.last_id ?? '',
    different: rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }])),
  }
}

const findOrphans = statement(`
  select entry_id, step, amount from journal
  where not exists (select from entries where entries.id = journal.entry_id)
  order by entry_id, step
  limit 1000`)

export interface OrphanLine {
  readonly entry_id: string
  readonly step: string
  readonly amount: string
}

/** Journal lines of ids that the ledger does not hold. */
export function orphanLines(tx: Queries): Promise<readonly OrphanLine[]> {
  return tx.query(findOrphans, [])
}

const compareStamps = statement(`
  select id, amount, settles, window_id from entries
  where kind = 'TRANSFER' and outcome = 'POSTED' and (
    settles is null
    or (settles = 'GROSS_IMMEDIATE') <> (window_id is null)
    or window_id > (select current_window.window_id from current_window)
  )
  order by id
  limit 1000`)

export interface StampDifference {
  readonly id: string
  readonly amount: string
  readonly settles: string | null
  readonly window_id: number | null
}

/** Posted transfers that are not in exactly one window, or are gross and in one. */
export function stampDifferences(tx: Queries): Promise<readonly StampDifference[]> {
  return tx.query(compareStamps, [])
}

const compareWindows = statement(`
  with posted as (
    select window_id, model_id, debit_account_id, credit_account_id, amount from entries
    where kind = 'TRANSFER' and outcome = 'POSTED' and window_id is not null
  ), sides as (
    select window_id, model_id, debit_account_id as account_id, amount from posted
    union all
    select window_id, model_id, credit_account_id, -amount from posted
  ), sums as (
    select window_id, model_id, account_id, sum(amount) as net, count(*) as transfers_count
    from sides group by window_id, model_id, account_id
  )
  select window_id, model_id, account_id, coalesce(stored.net, 0) as net,
    coalesce(stored.transfers_count, 0) as transfers_count,
    coalesce(sums.net, 0) as entries_net, coalesce(sums.transfers_count, 0) as entries_count
  from window_net stored
  full join sums using (window_id, model_id, account_id)
  where (stored.net, stored.transfers_count) is distinct from (sums.net, sums.transfers_count)
  order by window_id, model_id, account_id
  limit 1000`)

export interface WindowDifference {
  readonly window_id: number
  readonly model_id: number
  readonly account_id: number
  readonly net: string
  readonly transfers_count: string
  readonly entries_net: string
  readonly entries_count: string
}

/** What a window has counted against what its entries come to. */
export function windowDifferences(tx: Queries): Promise<readonly WindowDifference[]> {
  return tx.query(compareWindows, [])
}
