/** The interchange fees that are in force, and those that were posted in a window. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import type { Entry } from '../domain/entry.ts'
import type { FeeRule } from '../domain/fee.ts'
import { entryOf, listedColumns, type EntryRow } from '../entry-store.ts'

const setFee = statement(`
  insert into interchange_fees (currency, model_id, percentage) values ($1, $2, $3)
  on conflict (currency)
  do update set model_id = excluded.model_id, percentage = excluded.percentage`)

const endFee = statement('delete from interchange_fees where currency = $1')

/** @param rule null: no fee any more */
export async function saveFee(
  tx: Transaction,
  currency: string,
  rule: FeeRule | null,
): Promise<void> {
  if (rule === null) await tx.query(endFee, [currency])
  else await tx.query(setFee, [currency, rule.modelId, String(rule.percentage)])
}

const feesOfWindow = statement(`
  select ${listedColumns} from entries
  where window_id = $1 and kind = 'FEE' and id > $2
  order by id
  limit $3`)

/** A page of the fees that were posted in a window, in the order of their ids. */
export async function windowFeesAfter(
  db: Queries,
  windowId: number,
  afterId: string,
  limit: number,
): Promise<readonly Entry[]> {
  const rows = await db.query<EntryRow>(feesOfWindow, [windowId, afterId, limit])
  return rows.map(entryOf)
}
