/**
 * The events that determine the accounts' `unpaid`: debts from settlements, and the funds out of
 * accounts that have any.
 */
import { statement, type Queries } from '@causeway/postgres'
import type { UnpaidEvent } from './domain/unpaid.ts'

/** Within a batch, lines of the journal come before debts. */
const listEvents = statement(`
  select * from (
  with owing as (select distinct account_id from unpaid_debts where batch <= $1)
  select 'DEBT' as type, debts.account_id, debts.batch, debts.entry_id,
    coalesce(entries.amount, 0) as amount
  from unpaid_debts debts left join entries on entries.id = debts.entry_id
    and entries.kind = 'SETTLEMENT' and entries.outcome = 'POSTED'
  where debts.batch <= $1
  union all
  select journal.step, journal.debit_account_id, journal.batch, journal.entry_id, journal.amount
  from entries join journal on journal.entry_id = entries.id
  where entries.kind in ('FUNDS_IN', 'FUNDS_OUT') and entries.kind = 'FUNDS_OUT'
    and entries.debit_account_id in (select account_id from owing) and journal.batch <= $1
  ) events
  order by batch, type = 'DEBT', type <> 'RESERVE'`)

interface EventRow {
  readonly type: UnpaidEvent['type']
  readonly account_id: number
  readonly batch: string
  readonly entry_id: string
  readonly amount: string
}

/** In their order, up to this batch. */
export async function unpaidEvents(tx: Queries, batch: bigint): Promise<readonly UnpaidEvent[]> {
  const rows = await tx.query<EventRow>(listEvents, [String(batch)])
  return rows.map((row): UnpaidEvent => {
    const { type, account_id: accountId, entry_id: entryId } = row
    const both = { accountId, batch: BigInt(row.batch), amount: BigInt(row.amount) }
    return type === 'DEBT' ? { ...both, type } : { ...both, type, entryId }
  })
}
