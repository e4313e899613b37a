/**
 * Sums of payer FSPs' payments per minute. Each transfer counts once, however often it is reported,
 * and data is retained only as long as the longest window.
 */
import {
  ensureMonthlyPartitions,
  monthOf,
  statement,
  textArray,
  type Database,
} from '@causeway/postgres'
import { windowKey, type Usage, type Usages, type Window } from '../rules/domain/judge-request.ts'
import { earliestCounted_ms, firstMinute, minuteOf } from './domain/minutes.ts'

export interface CommittedPayment {
  readonly transferId: string
  readonly payerFsp: string
  readonly currency: string
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly committed_ms: number
}

export interface VelocityStore {
  /** Counts payments; those that are in no window any more are ignored. */
  count(payments: readonly CommittedPayment[], now: Date): Promise<void>
  usages(windows: readonly Window[], now: Date): Promise<Usages>
  /** Deletes payments that are in no window any more. */
  deleteOld(now: Date): Promise<void>
  ensurePartitions(now: Date): Promise<void>
}

interface UsageRow {
  readonly payer_fsp: string
  readonly currency: string
  readonly minutes: number
  readonly transfers: string
  readonly amount: string
}

const countStatement = statement(`
  with paid as materialized (
    select * from unnest($1::text[], $2::text[]::date[], $3::text[], $4::text[],
      $5::text[]::timestamptz[], $6::text[]::numeric[])
    as a (transfer_id, month, payer_fsp, currency, minute, amount)
  ), counted as (
    insert into counted_transfers (month, transfer_id)
    select month, transfer_id from paid order by transfer_id
    on conflict do nothing
    returning transfer_id
  )
  insert into velocity (payer_fsp, currency, minute, transfers, amount)
  select payer_fsp, currency, minute, count(*), sum(amount)
  from paid join counted using (transfer_id)
  group by payer_fsp, currency, minute order by payer_fsp, currency, minute
  on conflict (payer_fsp, currency, minute) do update
  set transfers = velocity.transfers + excluded.transfers, amount = velocity.amount + excluded.amount`)

const usagesStatement = statement(`
  select a.payer_fsp, a.currency, a.minutes, v.transfers, v.amount
  from unnest($1::text[], $2::text[], $3::text[]::integer[], $4::text[]::timestamptz[])
  as a (payer_fsp, currency, minutes, since)
  cross join lateral (
    select coalesce(sum(transfers), 0)::bigint as transfers, coalesce(sum(amount), 0) as amount
    from velocity
    where payer_fsp = a.payer_fsp and currency = a.currency and minute >= a.since
  ) v`)

const forgetStatement = statement(`
  delete from velocity where (payer_fsp, currency, minute) in (
    select payer_fsp, currency, minute from velocity where minute < $1::timestamptz
    order by payer_fsp, currency, minute limit $2::integer for update skip locked
  )
  returning 1`)

/**
 * Drops whole months, with the rights of the owner of the table. Fails after a second if the table is in
 * use for long, for example by a backup, because all writers would queue behind it; the next hour tries
 * again.
 */
const dropMonths = statement('select drop_counted_months($1::date)')

const forgotten_max = 5_000

export function openVelocityStore(db: Database): VelocityStore {
  return {
    async count(payments, now) {
      const earliest_ms = earliestCounted_ms(now.getTime())
      const recent = payments.filter(({ committed_ms }) => committed_ms >= earliest_ms)
      if (recent.length > 0) await db.query(countStatement, paidValues(recent))
    },
    async usages(windows, now) {
      if (windows.length === 0) return new Map()
      const rows = await db.query<UsageRow>(usagesStatement, [
        textArray(windows.map(({ payerFsp }) => payerFsp)),
        textArray(windows.map(({ currency }) => currency)),
        textArray(windows.map(({ minutes }) => String(minutes))),
        textArray(windows.map(({ minutes }) => firstMinute(now.getTime(), minutes))),
      ])
      return new Map(rows.map((row) => [keyOf(row), usageOf(row)]))
    },
    async deleteOld(now) {
      const earliest = new Date(earliestCounted_ms(now.getTime()))
      for (;;) {
        const rows = await db.query<object>(forgetStatement, [earliest, forgotten_max])
        if (rows.length < forgotten_max) break
      }
      await db.query(dropMonths, [monthOf(earliest)])
    },
    async ensurePartitions(now) {
      // Also the month before, which the windows of the next month's first day include.
      const earliest = new Date(earliestCounted_ms(now.getTime()))
      await ensureMonthlyPartitions(db, ['counted_transfers'], earliest)
    },
  }
}

/** A transfer that occurs twice in a batch is passed once. */
function paidValues(payments: readonly CommittedPayment[]): Buffer[] {
  const paid = [...new Map(payments.map((payment) => [payment.transferId, payment])).values()]
  const texts = (of: (payment: CommittedPayment) => string): Buffer => textArray(paid.map(of))
  return [
    texts(({ transferId }) => transferId),
    texts(({ committed_ms }) => monthOf(new Date(committed_ms))),
    texts(({ payerFsp }) => payerFsp),
    texts(({ currency }) => currency),
    texts(({ committed_ms }) => minuteOf(committed_ms)),
    texts(({ amount }) => String(amount)),
  ]
}

function keyOf({ payer_fsp, currency, minutes }: UsageRow): string {
  return windowKey({ payerFsp: payer_fsp, currency, minutes })
}

function usageOf({ transfers, amount }: UsageRow): Usage {
  return { count: BigInt(transfers), amount: BigInt(amount) }
}
