/**
 * The lines: each stored once, however often it is delivered, and counted in the same statement. One
 * that arrives after the lines of its day were read for a report is marked as late, so that the report
 * gets another version.
 */
import { statement, textArray, type Queries } from '@causeway/postgres'
import type { Line } from './line.ts'

/**
 * Only new lines are counted. Flows are updated in the order of their keys, so two batches cannot
 * deadlock.
 */
const record = statement(`
  with received as (
    select * from unnest($1::text[]::integer[], $2::text[], $3::text[], $4::text[], $5::text[],
      $6::text[], $7::text[], $8::text[]::numeric[], $9::text[], $10::text[]::integer[],
      $11::text[]::integer[], $12::text[]::integer[], $13::text[], $14::text[]::timestamptz[],
      $15::text[]::boolean[], $16::text[]::integer[])
      as received (window_id, transfer_id, kind, state, reason, payer_fsp, payee_fsp, amount, currency,
        model_id, payer_account_id, payee_account_id, completed_timestamp, finalised_at, is_bulk_item,
        duration_ms)
  ), stored as (
    insert into lines (window_id, day, transfer_id, kind, state, reason, payer_fsp, payee_fsp,
      amount, currency, model_id, payer_account_id, payee_account_id, completed_timestamp,
      finalised_at, is_bulk_item, duration_ms, late_at)
    select window_id, (finalised_at at time zone 'UTC')::date, transfer_id, kind, state, reason,
      payer_fsp, payee_fsp, amount, currency, model_id, payer_account_id, payee_account_id,
      completed_timestamp, finalised_at, is_bulk_item, duration_ms,
      case when finalised_at < (select max(until_at) from report_days where read_at is not null)
        and not coalesce(finalised_at >= $17::text::timestamptz
          and finalised_at < $18::text::timestamptz, false)
        then clock_timestamp() end
    from received
    order by window_id, 2, transfer_id, kind
    on conflict do nothing
    returning window_id, model_id, payer_account_id, payee_account_id, amount
  )
  insert into window_flows (window_id, model_id, payer_account_id, payee_account_id, amount,
    transfers_count)
  select window_id, model_id, payer_account_id, payee_account_id, sum(amount), count(*)
  from stored
  where window_id > 0 and payer_account_id is not null and payee_account_id is not null
  group by window_id, model_id, payer_account_id, payee_account_id
  order by window_id, model_id, payer_account_id, payee_account_id
  on conflict (window_id, model_id, payer_account_id, payee_account_id) do update
    set amount = window_flows.amount + excluded.amount,
      transfers_count = window_flows.transfers_count + excluded.transfers_count`)

/** @param read the caller reads the lines of this time afterwards: of these none is late */
export async function recordLines(
  db: Queries,
  lines: readonly Line[],
  read?: { readonly from: Date; readonly until: Date },
): Promise<void> {
  if (lines.length === 0) return
  const column = (value: (line: Line) => string | number | bigint | null) =>
    textArray(
      lines.map((line) => {
        const cell = value(line)
        return cell === null ? null : String(cell)
      }),
    )
  await db.query(record, [
    column(({ windowId }) => windowId),
    column(({ transferId }) => transferId),
    column(({ kind }) => kind),
    column(({ state }) => state),
    column(({ reason }) => reason),
    column(({ payerFsp }) => payerFsp),
    column(({ payeeFsp }) => payeeFsp),
    column(({ amount }) => amount),
    column(({ currency }) => currency),
    column(({ modelId }) => modelId),
    column(({ payerAccountId }) => payerAccountId),
    column(({ payeeAccountId }) => payeeAccountId),
    column(({ completedTimestamp }) => completedTimestamp),
    column(({ finalisedAt }) => finalisedAt),
    column(({ isBulkItem }) => String(isBulkItem)),
    column(({ duration_ms }) => duration_ms),
    read?.from.toISOString() ?? null,
    read?.until.toISOString() ?? null,
  ])
}
