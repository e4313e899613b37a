/** Rows of transfers: a page of them as JSON, or all of them as a file that is streamed. */
import {
  transferRowKindValues,
  transferRowStateValues,
  type Refusal,
  type TransferRow,
  type TransferRows,
} from '@causeway/protos'
import { csvLine } from '@causeway/records'
import { z } from 'zod'
import { file, type OperationResult } from '../answer.ts'
import { cursor, pageSize } from '../fields.ts'
import type { Json } from '../json.ts'
import { shownAmount, shownTime } from '../shapes.ts'
import { refusedUpstream, unitsOf } from '../upstream.ts'

const rows_max = 5_000
const rows_usual = 1_000

export const deadline = { deadline_ms: 30_000 }

/** The query parameters of every list of rows. */
export const paging = {
  format: z.enum(['json', 'csv']).optional().meta({
    description: 'Overrides Accept; csv has all rows, json a page of them.',
  }),
  cursor: cursor.optional().meta({ description: 'The `cursor` of the previous page.' }),
  limit: pageSize(rows_max)
    .optional()
    .meta({ description: `${rows_usual} when it is left out.` }),
}

export interface Paging {
  readonly format?: 'json' | 'csv' | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

export const shownRow = z.strictObject({
  transferId: z.string(),
  /** FEE: the interchange fee of the transfer. */
  kind: z.enum(transferRowKindValues),
  state: z.enum(transferRowStateValues),
  /** As sent to the FSP. */
  reason: z.string().nullable(),
  payerFsp: z.string(),
  payeeFsp: z.string(),
  amount: shownAmount,
  currency: z.string(),
  settlementWindowId: z.int().nullable(),
  settlementModelId: z.int().nullable(),
  payerAccountId: z.int().nullable(),
  payeeAccountId: z.int().nullable(),
  /** The payee FSP's clock. */
  completedTimestamp: z.string().nullable(),
  /** The hub's clock. */
  finalisedDate: shownTime,
  /** The transaction request of the payment, from a payee's FSP or from a PISP. */
  transactionRequestId: z.string().nullable(),
  pispFsp: z.string().nullable(),
  /** True: the two cannot be read now, because a service does not answer. */
  originUnavailable: z.boolean(),
})

export function rowBody(row: TransferRow) {
  return {
    transferId: row.transferId,
    kind: row.kind,
    state: row.state,
    reason: row.error ?? null,
    payerFsp: row.payerFsp,
    payeeFsp: row.payeeFsp,
    amount: unitsOf(row.amount),
    currency: row.currency,
    settlementWindowId: row.windowId ?? null,
    settlementModelId: row.settlementModelId ?? null,
    payerAccountId: row.payerAccountId ?? null,
    payeeAccountId: row.payeeAccountId ?? null,
    completedTimestamp: row.completedTimestamp ?? null,
    finalisedDate: row.finalisedAt,
    transactionRequestId: row.transactionRequestId ?? null,
    pispFsp: row.pispFsp ?? null,
    originUnavailable: row.originUnavailable,
  } satisfies Json
}

const columns = csvLine(Object.keys(shownRow.shape))

function csvRow(row: TransferRow): string {
  return csvLine([
    row.transferId,
    row.kind,
    row.state,
    row.error ?? '',
    row.payerFsp,
    row.payeeFsp,
    row.amount,
    row.currency,
    row.windowId ?? '',
    row.settlementModelId ?? '',
    row.payerAccountId ?? '',
    row.payeeAccountId ?? '',
    row.completedTimestamp ?? '',
    row.finalisedAt,
    row.transactionRequestId ?? '',
    row.pispFsp ?? '',
    String(row.originUnavailable),
  ])
}

export interface PageRequest {
  readonly cursor: string | undefined
  readonly limit: number
}

interface PageAnswer {
  readonly rows?: TransferRows | null
  readonly refusal?: Refusal | null
}

/** All rows as a file called `name`, or a page of them in the format of `shown`. */
export async function rowsAnswer(
  asked: Paging & { readonly wanted: string; readonly name: string },
  read: (page: PageRequest) => Promise<PageAnswer>,
  shown: (rows: TransferRows) => OperationResult | Promise<OperationResult>,
): Promise<OperationResult> {
  const format = asked.format ?? (asked.wanted === 'text/csv' ? 'csv' : 'json')
  const limit = asked.limit ?? (format === 'csv' ? rows_max : rows_usual)
  const first = await read({ cursor: asked.cursor, limit })
  if (first.refusal) return refusedUpstream(first.refusal)
  const rows = rowsOf(first)
  if (format === 'json') return shown(rows)
  return file('text/csv', pieces(rows, limit, read), `${asked.name}.csv`)
}

/** One page at a time; the next is read when the client has taken the last. */
async function* pieces(
  first: TransferRows,
  limit: number,
  read: (page: PageRequest) => Promise<PageAnswer>,
): AsyncGenerator<string> {
  yield columns
  let page = first
  for (;;) {
    if (page.rows.length > 0) yield page.rows.map(csvRow).join('')
    if (page.cursor === undefined) return
    page = rowsOf(await read({ cursor: page.cursor, limit }))
  }
}

function rowsOf({ rows, refusal }: PageAnswer): TransferRows {
  if (!rows) throw new Error(`a page of rows was refused: ${refusal?.detail ?? 'no reason'}`)
  return rows
}
