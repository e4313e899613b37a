/**
 * `GET /reconciliation`: an FSP reads the outcome of its own transfers of a settlement window or a day,
 * a page at a time, to reconcile its records. Its identity comes from its channel only.
 */
import type { Refusal } from '@causeway/fspiop'
import type { Calls } from '@causeway/grpc'
import type { Participants } from '@causeway/participants'
import type { settlementReportsService, TransferRow } from '@causeway/protos'
import type { Request, Response } from 'express'
import type { Identify } from './identity.ts'
import { refuse } from './refusals.ts'
import { refusalBody } from './serve.ts'

const rows_max = 1_000
const deadline = { deadline_ms: 30_000 }
const id_max = 2 ** 31 - 1

export interface ReconciliationParts {
  readonly identify: Identify
  readonly participants: Participants
  readonly reports: Pick<Calls<typeof settlementReportsService>, 'ListReconciliation'>
}

type ReportRequest = Parameters<ReconciliationParts['reports']['ListReconciliation']>[0]

export type ReconciliationPage = (request: Request, response: Response) => Promise<void>

/** One query per FSP at a time: a long list is read page by page. */
export function openReconciliationPage(parts: ReconciliationParts): ReconciliationPage {
  const asking = new Set<string>()
  return async (request, response) => {
    const identity = await parts.identify(request)
    if (identity.type !== 'KNOWN') return refuseWith(response, refuse(identity.reason))
    const { fspId } = identity
    if (asking.has(fspId)) return refuseWith(response, refuse('TOO_MANY'))
    asking.add(fspId)
    try {
      await answer(parts, fspId, request, response)
    } catch {
      refuseWith(response, refuse('REPORTS_UNAVAILABLE'))
    } finally {
      asking.delete(fspId)
    }
  }
}

/** Inactive FSPs are answered as well, because they must reconcile too. */
async function answer(
  { participants, reports }: ReconciliationParts,
  participant: string,
  request: Request,
  response: Response,
): Promise<void> {
  const known = (await participants.get([participant], ({ isClosed }) => !isClosed)).get(
    participant,
  )
  if (known === undefined) return refuseWith(response, refuse('SOURCE_UNKNOWN'))
  if (known.isClosed) return refuseWith(response, refuse('SOURCE_CLOSED'))
  const asked = readQuery(participant, request.query)
  if (asked === undefined) return refuseWith(response, refuse('RECONCILIATION_UNCLEAR'))
  const { rows, refusal } = await reports.ListReconciliation(asked, deadline)
  if (!rows) {
    const { code, status } = refuse('RECONCILIATION_UNCLEAR')
    return refuseWith(response, { code, status, detail: refusal?.detail ?? '' })
  }
  response.setHeader('cache-control', 'no-store')
  response.json({
    participant,
    transfers: rows.rows.map((row) => shown(row, participant)),
    cursor: rows.cursor === '' ? null : rows.cursor,
  })
}

/** Undefined: window and day are missing or invalid. */
function readQuery(participant: string, query: Request['query']): ReportRequest | undefined {
  const textOf = (name: string, otherwise: string) => {
    const text = query[name] ?? otherwise
    return typeof text === 'string' ? text : undefined
  }
  const windowId = Number(textOf('settlementWindowId', '0'))
  const limit = Number(textOf('limit', String(rows_max)))
  const day = textOf('day', '')
  const cursor = textOf('cursor', '')
  if (day === undefined || cursor === undefined) return undefined
  if (!Number.isInteger(windowId) || windowId < 0 || windowId > id_max) return undefined
  if (!Number.isInteger(limit) || limit < 1 || limit > rows_max) return undefined
  if (windowId === 0 && day === '') return undefined
  return { participant, windowId, day, cursor, limit }
}

/** Amounts in the format of FSPIOP; only the payer FSP sees which PISP initiated the transfer. */
function shown(row: TransferRow, participant: string) {
  const isPayer = row.payerFsp === participant
  return {
    transferId: row.transferId,
    kind: row.kind,
    state: row.state,
    ...(row.reason === '' ? {} : { reason: row.reason }),
    payerFsp: row.payerFsp,
    payeeFsp: row.payeeFsp,
    amount: { amount: row.amount, currency: row.currency },
    ...(row.windowId === 0 ? {} : { settlementWindowId: row.windowId }),
    ...(row.completedTimestamp === '' ? {} : { completedTimestamp: row.completedTimestamp }),
    finalisedAt: row.finalisedAt,
    ...(row.transactionRequestId === '' ? {} : { transactionRequestId: row.transactionRequestId }),
    ...(row.pispFsp === '' || !isPayer ? {} : { pispFsp: row.pispFsp }),
    ...(row.originUnavailable ? { originUnavailable: true } : {}),
  }
}

function refuseWith(response: Response, refusal: Refusal): void {
  response.status(refusal.status).type('application/json').send(refusalBody(refusal))
}
