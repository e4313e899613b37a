/**
 * Third-party transactions for operators: search, messages of one, and the initiator of a payment.
 */
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import {
  present,
  thirdPartySummaryStateValues,
  transactionStateValues,
  type ThirdPartyStep,
  type ThirdPartySummary,
  type thirdPartyTransactionsService,
} from '@causeway/protos'
import { errorOf } from '../errors.ts'
import { isRefused, timeMessage, timeOf } from '../../contract.ts'
import { readCursor, writeCursor } from '../../page-cursor.ts'
import {
  readArchivedMonths,
  readByTransaction,
  readSteps,
  readTransactions,
  readVerifications,
  searchTransactions,
  type TransactionSearch,
  type StepRow,
  type SummaryRow,
  type VerificationRow,
} from './record-store.ts'
import { verifyTransactions } from './verify-store.ts'

export interface ThirdPartyServeParts {
  readonly db: Database
  /** The participant name of the hosted auth service; empty: none is hosted. */
  readonly participant: string
}

const page_max = 200
const ids_max = 5_000

export function serveThirdParties({
  db,
  participant,
}: ThirdPartyServeParts): Handlers<typeof thirdPartyTransactionsService> {
  return {
    async SearchThirdPartyTransactions(asked) {
      const limit = Math.min(Math.max(asked.limit, 1), page_max)
      const { transactionRequestId, fspId, pispId, dfspId, consentId, state } = asked
      const from = timeIn('from', asked.from)
      const to = timeIn('to', asked.to)
      const search: TransactionSearch = {
        transactionRequestId,
        fspId,
        pispId,
        dfspId,
        consentId,
        state,
        from,
        to,
        after: readCursor(asked.after),
        limit,
      }
      // One entry beyond the page shows whether there are more.
      const rows = await searchTransactions(db, { ...search, limit: limit + 1 })
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      const next =
        rows.length > limit && last !== undefined
          ? writeCursor({ at: last.requested_at, id: last.id })
          : undefined
      return { transactions: shown.map(summaryOf), ...present({ next }) }
    },
    async FindThirdPartyTransactions({ transactionRequestIds }) {
      if (transactionRequestIds.length > ids_max) {
        throw new RangeError(`at most ${ids_max} transactions per request`)
      }
      const rows = await readTransactions(db, [...new Set(transactionRequestIds)])
      return { transactions: rows.map(summaryOf) }
    },
    VerifyThirdPartyTransactions: () => verifyTransactions(db),
    async GetThirdPartyTransaction({ transactionRequestId, transaction }) {
      const [row] = transaction
        ? [await readByTransaction(db, transaction.transactionId, transaction.dfspId)]
        : await readTransactions(db, [transactionRequestId ?? ''])
      if (row === undefined) return { record: null }
      const [steps, months] = await Promise.all([
        readSteps(db, row),
        readArchivedMonths(db, row.id),
      ])
      const ids = steps.flatMap(({ about, subject_id }) =>
        about === 'VERIFICATION' ? [subject_id] : [],
      )
      const answers = await readVerifications(db, [...new Set(ids)], row.dfsp)
      const all = [
        ...steps.map(stepOf),
        ...answers.map((answer) => answerOf(answer, participant, row.dfsp)),
      ]
      // The link is stored with the later of two messages, which two processes may have received.
      const consentId = row.consent_id ?? steps.findLast((step) => step.consent_id)?.consent_id
      return {
        record: {
          summary: { ...summaryOf(row), ...present({ consentId }) },
          steps: all.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
          archivedMonths: [...months],
        },
      }
    },
  }
}

/** The operator API has validated the time. */
function timeIn(name: string, text: string | undefined): Date | null {
  const time = timeOf(name, text, null)
  if (time !== null && isRefused(time)) throw new Error(time.detail)
  return time
}

/** The port of FSPs admits no other state. */
function known<Value extends string>(values: readonly Value[], word: string): Value {
  const value = values.find((one) => one === word)
  if (value === undefined) throw new Error(`${word} is not one of ${values.join(', ')}`)
  return value
}

function summaryOf(row: SummaryRow): ThirdPartySummary {
  return {
    transactionRequestId: row.id,
    pispId: row.pisp,
    dfspId: row.dfsp,
    state: known(thirdPartySummaryStateValues, row.state),
    requestedAt: timeMessage(row.requested_at),
    ...present({
      transactionId: row.transaction_id,
      transactionState:
        row.transaction_state === null
          ? null
          : known(transactionStateValues, row.transaction_state),
      consentId: row.consent_id,
      errorCode: row.error_code,
      errorDescription: row.error_description,
      endedAt: row.ended_at?.toISOString(),
    }),
  }
}

function stepOf(row: StepRow): ThirdPartyStep {
  return {
    at: timeMessage(row.received_at),
    about: row.about,
    subjectId: row.subject_id,
    method: row.method,
    sourceFspId: row.source_fsp,
    destinationFspId: row.destination_fsp,
    ...present({
      result: row.outcome,
      errorCode: row.error_code,
      errorDescription: row.error_description,
    }),
  }
}

function answerOf(row: VerificationRow, participant: string, dfsp: string): ThirdPartyStep {
  const error = row.reason === null ? undefined : errorOf(row.reason)
  return {
    at: timeMessage(row.decided_at),
    about: 'VERIFICATION',
    subjectId: row.id,
    method: 'PUT',
    sourceFspId: participant,
    destinationFspId: dfsp,
    ...(error ?? { result: 'VERIFIED' }),
  }
}
