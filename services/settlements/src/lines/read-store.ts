/** The lines as reports read them: by window, in the order of their keys, in pages. */
import { formatAmount } from '@causeway/money'
import { statement, textArray, type Queries } from '@causeway/postgres'
import type { TransferRow, TransferRowKind, TransferRowState } from '@causeway/protos'

/** The key of a line; a page begins after one. */
export interface LineKey {
  readonly windowId: number
  readonly day: string
  readonly transferId: string
  readonly kind: string
}

/** The lines to read of a window; null means any. */
export interface LineFilter {
  readonly windowId: number
  readonly contents: readonly { readonly modelId: number; readonly currency: string }[] | null
  readonly participant: string | null
  readonly day: string | null
}

export interface ReadLine {
  readonly key: LineKey
  readonly row: TransferRow
}

const readLines = statement(`
  select window_id, day::text as day, transfer_id, kind, state, reason, payer_fsp, payee_fsp, amount,
    currency, model_id, payer_account_id, payee_account_id, completed_timestamp, finalised_at
  from lines
  where window_id = $1
    and day between coalesce($2::date, '0001-01-01') and coalesce($2::date, '9999-12-31')
    and (day, transfer_id, kind) > ($3::date, $4, $5)
    and ($6::text[] is null or (model_id, currency) in (
      select * from unnest($6::text[]::integer[], $7::text[])))
    and ($8::text is null or payer_fsp = $8 or payee_fsp = $8)
  order by day, transfer_id, kind
  limit $9`)

interface LineRow {
  readonly window_id: number
  readonly day: string
  readonly transfer_id: string
  readonly kind: TransferRowKind
  readonly state: TransferRowState
  readonly reason: string
  readonly payer_fsp: string
  readonly payee_fsp: string
  readonly amount: string
  readonly currency: string
  readonly model_id: number | null
  readonly payer_account_id: number | null
  readonly payee_account_id: number | null
  readonly completed_timestamp: string
  readonly finalised_at: Date
}

/** The next lines of a window; `after` null: from its first line. */
export async function linesAfter(
  db: Queries,
  { windowId, contents, participant, day }: LineFilter,
  after: LineKey | null,
  limit: number,
): Promise<readonly ReadLine[]> {
  const rows = await db.query<LineRow>(readLines, [
    windowId,
    day,
    after?.day ?? '0001-01-01',
    after?.transferId ?? '',
    after?.kind ?? '',
    contents && textArray(contents.map(({ modelId }) => String(modelId))),
    contents && textArray(contents.map(({ currency }) => currency)),
    participant,
    limit,
  ])
  return rows.map((row) => ({ key: keyOf(row), row: messageOf(row) }))
}

const readOutside = statement(`
  select window_id, day::text as day, transfer_id, kind, state, reason, payer_fsp, payee_fsp, amount,
    currency, model_id, payer_account_id, payee_account_id, completed_timestamp, finalised_at
  from lines where window_id = 0 and transfer_id = any($1::text[])
  order by transfer_id, day, kind`)

/** The lines of these transfers outside windows. */
export async function linesOutsideWindows(
  db: Queries,
  transferIds: readonly string[],
): Promise<readonly TransferRow[]> {
  return (await db.query<LineRow>(readOutside, [textArray(transferIds)])).map(messageOf)
}

function keyOf({ window_id, day, transfer_id, kind }: LineRow): LineKey {
  return { windowId: window_id, day, transferId: transfer_id, kind }
}

function messageOf(row: LineRow): TransferRow {
  return {
    transferId: row.transfer_id,
    kind: row.kind,
    state: row.state,
    error: row.reason || undefined,
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    amount: formatAmount(BigInt(row.amount)),
    currency: row.currency,
    windowId: row.window_id || undefined,
    settlementModelId: row.model_id ?? undefined,
    payerAccountId: row.payer_account_id ?? undefined,
    payeeAccountId: row.payee_account_id ?? undefined,
    completedTimestamp: row.completed_timestamp || undefined,
    finalisedAt: row.finalised_at.toISOString(),
    originUnavailable: false,
  }
}

const takenContents = statement(`
  select contents.window_id, contents.model_id, contents.currency
  from settlement_contents taken join window_contents contents on contents.id = taken.content_id
  where taken.settlement_id = $1
  order by contents.window_id`)

/** The contents of a settlement, by window. */
export async function contentsTaken(
  db: Queries,
  settlementId: number,
): Promise<
  readonly { readonly windowId: number; readonly modelId: number; readonly currency: string }[]
> {
  const rows = await db.query<{ window_id: number; model_id: number; currency: string }>(
    takenContents,
    [settlementId],
  )
  return rows.map((row) => ({
    windowId: row.window_id,
    modelId: row.model_id,
    currency: row.currency,
  }))
}

/** Clocks of processes differ, so adjacent windows may hold lines of the day as well. */
const windowsOfDay = statement(`
  select id from settlement_windows
  where created_at < $1::date + interval '25 hours'
    and (closed_at is null or closed_at > $1::date - interval '1 hour')
  order by id`)

/** The windows that were open on a day, and 0 for lines outside windows. */
export async function windowsOn(db: Queries, day: string): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(windowsOfDay, [day])
  return [0, ...rows.map(({ id }) => id)]
}
