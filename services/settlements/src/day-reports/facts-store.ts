/**
 * The facts of a day as PostgreSQL sums them: slice by slice of the day, so that no statement is long
 * and no row of a transfer comes to this process.
 */
import { statement, textArray, type Queries } from '@causeway/postgres'
import type { ClosedWindow, Flow, Latency, Side, ThirdPartyFlow } from './domain/facts.ts'

/** The currencies of the reports, each with the beginning of its day. */
export interface ReportScope {
  /** The currency; empty: all but `others`. */
  readonly scope: string
  /** The currencies that have reports of their own. */
  readonly others: readonly string[]
  /** Where a day follows an earlier one. */
  readonly begins: ReadonlyMap<string, Date>
  /** Where it does not. */
  readonly from: Date
  readonly participants: readonly string[]
}

export interface Slice {
  readonly from: Date
  readonly until: Date
}

const summarize = statement('select summarize_lines()')

/**
 * Completes the summary of times by which the lines of a slice are found: until the next vacuum, every
 * slice would read all lines that came since the last one.
 */
export async function summarizeLines(db: Queries): Promise<void> {
  await db.query(summarize, [])
}

const inPart = `
  lines.finalised_at >= $1 and lines.finalised_at < $2
  and case when $3 = '' then lines.currency <> all($4::text[]) else lines.currency = $3 end
  and lines.finalised_at >= coalesce((
    select from_at from unnest($5::text[], $6::text[]::timestamptz[]) as begins (currency, from_at)
    where begins.currency = lines.currency), $7)`

function partValues({ scope, others, begins, from }: ReportScope, slice: Slice) {
  return [
    slice.from,
    slice.until,
    scope,
    textArray(others),
    textArray([...begins.keys()]),
    textArray([...begins.values()].map((time) => time.toISOString())),
    from,
  ]
}

/** Both sides of each line. */
const sides = `cross join lateral (values ('SENT', payer_fsp), ('RECEIVED', payee_fsp)) as sides (side, name)`

const sumFlows = statement(`
  select currency, side, case when name = any($8::text[]) then name else '' end as fsp, kind,
    is_bulk_item, state, case state when 'ABORTED' then left(reason, 4) else '' end as error_code,
    count(*)::text as count, sum(amount)::text as value
  from lines ${sides}
  where ${inPart}
  group by 1, 2, 3, 4, 5, 6, 7`)

interface FlowRow {
  readonly currency: string
  readonly side: Side
  readonly fsp: string
  readonly kind: Flow['kind']
  readonly is_bulk_item: boolean
  readonly state: Flow['state']
  readonly error_code: string
  readonly count: string
  readonly value: string
}

/** The sums of a slice. */
export async function flowsIn(
  db: Queries,
  part: ReportScope,
  slice: Slice,
): Promise<readonly Flow[]> {
  const rows = await db.query<FlowRow>(sumFlows, [
    ...partValues(part, slice),
    textArray(part.participants),
  ])
  return rows.map((row) => ({
    currency: row.currency,
    side: row.side,
    fsp: row.fsp,
    kind: row.kind,
    isBulkItem: row.is_bulk_item,
    state: row.state,
    errorCode: row.error_code,
    count: Number(row.count),
    value: BigInt(row.value),
  }))
}

/** Rounded up to three significant digits, so that there are few different ones. */
const rounded = `case
  when duration_ms < 1000 then duration_ms
  when duration_ms < 10000 then (duration_ms + 9) / 10 * 10
  when duration_ms < 100000 then (duration_ms + 99) / 100 * 100
  else (duration_ms + 999) / 1000 * 1000 end`

const countLatencies = statement(`
  select currency, side, name as fsp, ${rounded} as duration_ms, count(*)::text as count
  from lines ${sides}
  where ${inPart} and kind = 'TRANSFER' and state = 'COMMITTED' and duration_ms is not null
    and name = any($8::text[])
  group by 1, 2, 3, 4`)

export async function latenciesIn(
  db: Queries,
  part: ReportScope,
  slice: Slice,
): Promise<readonly Latency[]> {
  const rows = await db.query<Omit<Latency, 'count'> & { readonly count: string }>(countLatencies, [
    ...partValues(part, slice),
    textArray(part.participants),
  ])
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

const pageOfCommitted = `
  and kind = 'TRANSFER' and state = 'COMMITTED' and transfer_id > $8`

const withoutFee = statement(`
  select transfer_id from lines
  where ${inPart} ${pageOfCommitted} and window_id > 0 and currency = any($9::text[])
    and not exists (
      select from lines fee
      where fee.window_id = lines.window_id and fee.day in (lines.day, lines.day - 1)
        and fee.transfer_id = lines.transfer_id and fee.kind = 'FEE')
  order by transfer_id limit $10`)

/** Committed transfers of a window whose fee, if they have one, has no line yet. */
export async function withoutFeeIn(
  db: Queries,
  part: ReportScope,
  slice: Slice,
  asked: { readonly currencies: readonly string[]; readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db.query<{ readonly transfer_id: string }>(withoutFee, [
    ...partValues(part, slice),
    asked.after,
    textArray(asked.currencies),
    asked.limit,
  ])
  return rows.map(({ transfer_id }) => transfer_id)
}

const singles = statement(`
  select transfer_id as "transferId", payer_fsp as "payerFsp", payee_fsp as "payeeFsp", currency,
    amount::text as amount
  from lines
  where ${inPart} ${pageOfCommitted} and not is_bulk_item
  order by transfer_id limit $9`)

export type Single = Pick<ThirdPartyFlow, 'payerFsp' | 'payeeFsp' | 'currency'> & {
  readonly transferId: string
  /** Ten-thousandths. */
  readonly amount: string
}

/** Committed transfers that are no items of bulks, a page at a time. */
export async function singlesIn(
  db: Queries,
  part: ReportScope,
  slice: Slice,
  asked: { readonly after: string; readonly limit: number },
): Promise<readonly Single[]> {
  return db.query<Single>(singles, [...partValues(part, slice), asked.after, asked.limit])
}

const closedWindows = statement(`
  select windows.id, windows.closed_at, nets.participant, contents.currency, models.name as model,
    nets.net::text as net, nets.transfers_count::text as transfers_count
  from settlement_windows windows
  join window_contents contents on contents.window_id = windows.id
  join content_nets nets on nets.content_id = contents.id
  join settlement_models models on models.id = contents.model_id
  where windows.closed_at >= $1 and windows.closed_at < $2
    and case when $3 = '' then contents.currency <> all($4::text[]) else contents.currency = $3 end
  order by windows.id, contents.currency, models.name, nets.participant, nets.account_id`)

interface NetRow {
  readonly id: number
  readonly closed_at: Date
  readonly participant: string
  readonly currency: string
  readonly model: string
  readonly net: string
  readonly transfers_count: string
}

/** The settlement windows that closed, with their nets. */
export async function windowsClosedIn(
  db: Queries,
  { scope, others }: ReportScope,
  { from, until }: Slice,
): Promise<readonly ClosedWindow[]> {
  const rows = await db.query<NetRow>(closedWindows, [from, until, scope, textArray(others)])
  const windows = new Map<
    number,
    ClosedWindow & { readonly nets: ClosedWindow['nets'][number][] }
  >()
  for (const row of rows) {
    const window = windows.get(row.id) ?? {
      id: row.id,
      closedAt: row.closed_at.toISOString(),
      nets: [],
    }
    window.nets.push({
      currency: row.currency,
      model: row.model,
      participant: row.participant,
      net: BigInt(row.net),
      transfersCount: Number(row.transfers_count),
    })
    windows.set(row.id, window)
  }
  return [...windows.values()]
}

const feeCurrencies = statement(`
  select distinct currency from settlement_models where fee_percentage is not null order by currency`)

/** The currencies that have, or had, interchange fees. */
export async function currenciesWithFees(db: Queries): Promise<readonly string[]> {
  const rows = await db.query<{ readonly currency: string }>(feeCurrencies, [])
  return rows.map(({ currency }) => currency)
}

const feeModels = statement(`
  select id from settlement_models where fee_percentage is not null order by id`)

/** The models that fees are netted under. */
export async function modelsWithFees(db: Queries): Promise<readonly number[]> {
  const rows = await db.query<{ readonly id: number }>(feeModels, [])
  return rows.map(({ id }) => id)
}

const reportedCurrencies = statement(`
  select currency, max(until_at) as until_at from report_periods where day < $1::date group by currency`)

/** When the last reported day of each currency ended, before this day. */
export async function endsBefore(db: Queries, day: string): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.query<{ readonly currency: string; readonly until_at: Date }>(
    reportedCurrencies,
    [day],
  )
  return new Map(rows.map(({ currency, until_at }) => [currency, until_at]))
}

const ownPeriods = statement(`
  select currency, from_at from report_periods where day = $1::date and scope = $2`)
const takenPeriods = statement(`
  select currency from report_periods where day = $1::date and scope <> $2`)
const lastEnd = statement(`
  select max(until_at) as until_at from report_days where scope = $2 and day < $1::date`)

/** What is settled about the day already. */
export interface Begun {
  /** Of an earlier version. */
  readonly own: ReadonlyMap<string, Date>
  /** The currencies that another scope has reported for this day. */
  readonly taken: readonly string[]
  /** When the day before ended. */
  readonly lastEnd: Date | null
}

export async function begunOn(db: Queries, day: string, scope: string): Promise<Begun> {
  const own = await db.query<{ readonly currency: string; readonly from_at: Date }>(ownPeriods, [
    day,
    scope,
  ])
  const taken = await db.query<{ readonly currency: string }>(takenPeriods, [day, scope])
  const [last] = await db.query<{ readonly until_at: Date | null }>(lastEnd, [day, scope])
  return {
    own: new Map(own.map(({ currency, from_at }) => [currency, from_at])),
    taken: taken.map(({ currency }) => currency),
    lastEnd: last?.until_at ?? null,
  }
}
