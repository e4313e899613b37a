/**
 * `GET /reconciliation`: an FSP reads the outcome of its own transfers of a settlement window or a day,
 * a page at a time, to reconcile its records. Its identity comes from its channel only.
 */
import type { Calls } from '@causeway/grpc'
import type { settlementReportsService, TransferRow } from '@causeway/protos'
import type { Request } from 'express'
import {
  openOwnPage,
  queryText,
  refuseWith,
  type OwnPageParts,
  type PageHandler,
} from './own-page.ts'
import { refuse } from '../refusals.ts'

const rows_max = 1_000
const deadline = { deadline_ms: 30_000 }
const id_max = 2 ** 31 - 1

export interface ReconciliationParts extends OwnPageParts {
  readonly reports: Pick<Calls<typeof settlementReportsService>, 'ListReconciliation'>
}

type ReportRequest = Parameters<ReconciliationParts['reports']['ListReconciliation']>[0]

/** A long list is read page by page. */
export function openReconciliationPage(parts: ReconciliationParts): PageHandler {
  return openOwnPage(parts, async (participant, request, response) => {
    const asked = readQuery(participant, request.query)
    if (asked === undefined) return refuseWith(response, refuse('RECONCILIATION_UNCLEAR'))
    const { rows, refusal } = await parts.reports.ListReconciliation(asked, deadline)
    if (!rows) {
      const { code, status } = refuse('RECONCILIATION_UNCLEAR')
      return refuseWith(response, { code, status, detail: refusal?.detail ?? '' })
    }
    response.setHeader('cache-control', 'no-store')
    response.json({
      participant,
      transfers: rows.rows.map((row) => shown(row, participant)),
      cursor: rows.cursor ?? null,
    })
  })
}

/** Undefined: window and day are missing or invalid. */
function readQuery(participant: string, query: Request['query']): ReportRequest | undefined {
  const textOf = (name: string, otherwise: string) => queryText(query, name, otherwise)
  const windowId = Number(textOf('settlementWindowId', '0'))
  const limit = Number(textOf('limit', String(rows_max)))
  const day = textOf('day', '')
  const cursor = textOf('cursor', '')
  if (day === undefined || cursor === undefined) return undefined
  if (!Number.isInteger(windowId) || windowId < 0 || windowId > id_max) return undefined
  if (!Number.isInteger(limit) || limit < 1 || limit > rows_max) return undefined
  if (windowId === 0 && day === '') return undefined
  return {
    participant,
    windowId: windowId || undefined,
    day: day || undefined,
    cursor: cursor || undefined,
    limit,
  }
}

/** Absent members are left out of the JSON. Amounts in the format of FSPIOP; only the payer FSP sees which PISP initiated the transfer. */
function shown(row: TransferRow, participant: string) {
  const isPayer = row.payerFsp === participant
  return {
    transferId: row.transferId,
    kind: row.kind,
    state: row.state,
    reason: row.error,
    payerFsp: row.payerFsp,
    payeeFsp: row.payeeFsp,
    amount: { amount: row.amount, currency: row.currency },
    settlementWindowId: row.windowId,
    completedTimestamp: row.completedTimestamp,
    finalisedAt: row.finalisedAt,
    transactionRequestId: row.transactionRequestId,
    pispFsp: isPayer ? row.pispFsp : undefined,
    ...(row.originUnavailable ? { originUnavailable: true } : {}),
  }
}
