/**
 * A DFSP's messages to a PISP about a payment. Third-Party API 1.0,
 * /thirdpartyRequests/transactions.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import { type Outgoing, writeMessage } from '../../message.ts'
import type { CachedRequest } from '../../idempotency-cache.ts'
import type { PispOutcome } from './payment.ts'

/** The state of a payment that a PISP requested. */
export interface RequestedPayment extends CachedRequest {
  readonly id: string
  readonly pispId: string
  readonly transactionId: string
  /** PENDING: the user is asked. ACCEPTED: the user's signature was verified. */
  progress: 'RECEIVED' | 'PENDING' | 'ACCEPTED'
  outcome: PispOutcome | undefined
}

/** PUT: the request was received, or the answer to a status query. */
export function statusMessage(name: string, request: RequestedPayment): Outgoing {
  const { id, pispId, transactionId, progress, outcome } = request
  if (outcome?.type === 'FAILED') return refusalMessage(name, pispId, id, outcome.error)
  const body =
    outcome === undefined
      ? { transactionId, transactionRequestState: progress }
      : { transactionId, ...finalBody(outcome) }
  return writeMessage('PUT', pathOf(id), { from: name, to: pispId }, body)
}

/** The final callback. */
export function finalMessage(
  name: string,
  { id, pispId }: Pick<RequestedPayment, 'id' | 'pispId'>,
  outcome: PispOutcome,
): Outgoing {
  return outcome.type === 'FAILED'
    ? refusalMessage(name, pispId, id, outcome.error)
    : writeMessage('PATCH', pathOf(id), { from: name, to: pispId }, finalBody(outcome))
}

export function refusalMessage(
  name: string,
  pispId: string,
  id: string,
  error: ErrorInformation,
): Outgoing {
  const route = { from: name, to: pispId }
  return writeMessage('PUT', `${pathOf(id)}/error`, route, { errorInformation: error })
}

function finalBody(outcome: Exclude<PispOutcome, { readonly type: 'FAILED' }>): object {
  if (outcome.type === 'REJECTED') {
    return { transactionRequestState: 'REJECTED', transactionState: 'REJECTED' }
  }
  const { completedTimestamp } = outcome
  return {
    transactionRequestState: 'ACCEPTED',
    transactionState: 'COMPLETED',
    ...(completedTimestamp === undefined ? {} : { completedTimestamp }),
  }
}

function pathOf(id: string): string {
  return `/thirdpartyRequests/transactions/${id}`
}
