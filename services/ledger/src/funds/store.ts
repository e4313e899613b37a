/** Funds as they are listed, and holds that were not completed in time. */
import { statement, type Queries } from '@causeway/postgres'
import type { FundsQuery } from '@causeway/protos'
import type { Entry } from '../domain/entry.ts'
import { entryColumns, entryOf, type EntryRow } from '../entry-store.ts'

const listed = statement(`
  select ${entryColumns} from entries
  where kind in ('FUNDS_IN', 'FUNDS_OUT')
    and ($1::text is null or payer_fsp = $1)
    and ($2::text is null or $2 = case outcome when 'RESERVED' then 'RESERVED' when 'POSTED' then 'COMMITTED'
      when 'VOIDED' then case reason when 'TIMEOUT' then 'EXPIRED' else 'ABORTED_REJECTED' end
      else 'ABORTED_REJECTED' end)
    and ($3::text is null or (created_at, id) < ($3::text::timestamptz, $4))
  order by created_at desc, id desc
  limit $5`)

/** The last of the page before. */
export interface FundsCursor {
  readonly createdAt: string
  readonly id: string
}

/** The newest first; without a name of all participants, without a state in all states. */
export async function fundsMovements(
  db: Queries,
  { name, state }: Pick<FundsQuery, 'name' | 'state'>,
  after: FundsCursor | null,
  limit: number,
): Promise<readonly Entry[]> {
  const place = [after?.createdAt ?? null, after?.id ?? '']
  const rows = await db.query<EntryRow>(listed, [name ?? null, state ?? null, ...place, limit])
  return rows.map(entryOf)
}

const overdue = statement(`
  select id, payer_fsp from entries
  where outcome = 'RESERVED' and kind = 'FUNDS_OUT' and expires_at <= clock_timestamp()
  order by expires_at
  limit $1`)

export async function overdueFunds(
  db: Queries,
  limit: number,
): Promise<readonly { readonly id: string; readonly participant: string }[]> {
  const rows = await db.query<{ id: string; payer_fsp: string }>(overdue, [limit])
  return rows.map(({ id, payer_fsp }) => ({ id, participant: payer_fsp }))
}
