/**
 * Decides what a message means for the quote that is stored under its id. The same rules apply to
 * every kind of message: a redelivered event has no effect; another event with the same content is
 * a client's duplicate, which is ignored while the quote is pending and answered once it is final;
 * other content under the same id is refused; an FSP that is not party to the quote gets no
 * information about it.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import type { LegRole } from '@causeway/protos'
import { judgeAnswer } from '../../rules/domain/judge-answer.ts'
import type { Money, Rule, Violation } from '../../rules/domain/rule.ts'
import type { Accepted, Claimed, Expired, Pending, Rejected } from './quote.ts'

type ClaimedTerms = Pick<Claimed, 'payerFsp' | 'expiresAt' | 'requestHash' | 'requestEventId'>
type EndedState = Pick<Accepted, 'state' | 'payeeFsp' | 'outcome'> | RejectedForAny | Expired
/** With any reason: bulk quotes have others. */
type RejectedForAny = Omit<Rejected, 'reason' | 'ruleId'> & { readonly reason: string }

/** The part of a stored quote or bulk quote that decisions need. */
export type StoredState = ClaimedTerms & (Pending | EndedState)

/** A request with a known id. */
export interface Repeat {
  readonly eventId: string
  readonly payerFsp: string
  readonly payloadHash: string
}

export interface PayeeMessage {
  readonly eventId: string
  readonly quoteId: string
  readonly requesterFspId: string
  readonly destinationFspId?: string | undefined
  readonly payloadHash: string
}

/** PUT /quotes/{id}. */
export interface Response extends PayeeMessage {
  readonly kind: 'RESPONSE'
  readonly transferAmount: Money
  readonly fee: Money | undefined
  readonly commission: Money | undefined
  readonly validUntil_ms: number
  /** According to the clock of the receiving edge. */
  readonly received_ms: number
}

/** PUT /quotes/{id}/error. */
export interface Reject extends PayeeMessage {
  readonly kind: 'REJECT'
  readonly error: ErrorInformation
}

/** Reasons of errors that are not stored with the quote. */
export type AnswerReason =
  | 'ID_UNKNOWN'
  | 'ID_USED'
  | 'SENDER_NOT_PAYEE'
  | 'DESTINATION_NOT_PAYER'
  | 'CONTENT_MODIFIED'
  | 'TOO_LATE'
  | 'NOT_PENDING'
  | 'ANSWER_OWED'
  | 'ANSWER_NOT_KEPT'
  | 'ASKER_NOT_PARTY'
  | 'DESTINATION_MISSING'

export interface ErrorAnswer {
  readonly type: 'error'
  readonly legRole: LegRole
  readonly error: AnswerReason | ErrorInformation
}

/** Repeats the payee FSP's own answer. */
export interface Replay {
  readonly type: 'replay'
  readonly legRole: 'PAYER' | 'PAYEE'
}

/** No answer: the sender has received one, or will. */
export interface NoAnswer {
  readonly type: 'none'
}

export type RepeatDecision =
  | NoAnswer
  | ErrorAnswer
  | Replay
  /** The id is in use for other content, or by another FSP. */
  | { readonly type: 'refuse'; readonly reason: 'ID_USED' }

export type PayeeDecision =
  | NoAnswer
  | ErrorAnswer
  | { readonly type: 'accept' }
  | { readonly type: 'forbid'; readonly violation: Violation }
  | { readonly type: 'reject'; readonly error: ErrorInformation }

export type QueryDecision =
  | ErrorAnswer
  | Replay
  /** The payee FSP has not answered yet: the query is forwarded to it. */
  | { readonly type: 'forward'; readonly to: string }

const noAnswer: NoAnswer = { type: 'none' }

export function decideRepeat(quote: StoredState, repeat: Repeat): RepeatDecision {
  if (quote.requestEventId === repeat.eventId) return noAnswer
  if (quote.payerFsp !== repeat.payerFsp || quote.requestHash !== repeat.payloadHash) {
    return { type: 'refuse', reason: 'ID_USED' }
  }
  return isPending(quote) ? noAnswer : repeatedAnswer(quote, 'PAYER')
}

/**
 * The clock of the edge may be ahead: a time of receipt in the future counts as now.
 * @param now_ms according to the clock of this process
 */
export function decideResponse(
  quote: (StoredState & Pick<Claimed, 'currency'>) | undefined,
  response: Response,
  rules: readonly Rule[],
  now_ms: number,
): PayeeDecision {
  const arrival = decideArrival(quote, response, now_ms)
  if (arrival.type !== 'counts') return arrival
  const { received_ms } = arrival
  const violation = judgeAnswer(rules, {
    ...response,
    payeeFsp: arrival.pending.payeeFsp,
    currency: arrival.pending.currency,
    validity_ms: response.validUntil_ms - received_ms,
  })
  return violation === undefined ? { type: 'accept' } : { type: 'forbid', violation }
}

export type Arrival<Stored> =
  | ErrorAnswer
  | NoAnswer
  | { readonly type: 'counts'; readonly pending: Stored & Pending; readonly received_ms: number }

/** Whether an answer has the right sender, destination and time to take effect. */
export function decideArrival<Stored extends StoredState>(
  quote: Stored | undefined,
  response: PayeeMessage & Pick<Response, 'received_ms'>,
  now_ms: number,
): Arrival<Stored> {
  if (quote === undefined) return errorAnswer('REQUESTER', 'ID_UNKNOWN')
  const wrong = misdirected(quote, response)
  if (wrong !== undefined) return wrong
  if (!isPending(quote)) return decideEnded(quote, response)
  const received_ms = Math.min(response.received_ms, now_ms)
  if (received_ms >= Date.parse(quote.expiresAt)) return errorAnswer('PAYEE', 'TOO_LATE')
  return { type: 'counts', pending: quote, received_ms }
}

/**
 * A refusal is accepted as long as the quote is pending, even after its expiration, since it
 * informs the payer FSP.
 */
export function decideReject(quote: StoredState | undefined, reject: Reject): PayeeDecision {
  if (quote === undefined) return errorAnswer('REQUESTER', 'ID_UNKNOWN')
  const wrong = misdirected(quote, reject)
  if (wrong !== undefined) return wrong
  return isPending(quote) ? { type: 'reject', error: reject.error } : decideEnded(quote, reject)
}

/** The answer to a message for a final quote. */
function decideEnded(quote: StoredState, message: PayeeMessage): ErrorAnswer | NoAnswer {
  if (quote.state === 'PENDING') throw new Error('the quote has not ended')
  if (quote.state === 'EXPIRED') return errorAnswer('PAYEE', 'TOO_LATE')
  const { outcome } = quote
  if (outcome === undefined) return errorAnswer('PAYEE', 'NOT_PENDING')
  if (outcome.eventId === message.eventId) return noAnswer
  if (outcome.hash !== message.payloadHash) return errorAnswer('PAYEE', 'CONTENT_MODIFIED')
  // The sender knows that its answer or refusal took effect; only for a broken rule it got an
  // error.
  return quote.state === 'REJECTED' && quote.reason === 'RULE'
    ? errorAnswer('PAYEE', quote.error)
    : noAnswer
}

export function decideQuery(quote: StoredState | undefined, requesterFspId: string): QueryDecision {
  if (quote === undefined) return errorAnswer('REQUESTER', 'ID_UNKNOWN')
  const legRole = roleOf(quote, requesterFspId)
  if (legRole === undefined) return errorAnswer('REQUESTER', 'ASKER_NOT_PARTY')
  if (!isPending(quote)) return repeatedAnswer(quote, legRole)
  return legRole === 'PAYER'
    ? { type: 'forward', to: quote.payeeFsp }
    : errorAnswer('PAYEE', 'ANSWER_OWED')
}

function repeatedAnswer(quote: EndedState, legRole: 'PAYER' | 'PAYEE'): ErrorAnswer | Replay {
  switch (quote.state) {
    case 'ACCEPTED':
      return { type: 'replay', legRole }
    case 'REJECTED':
      return errorAnswer(legRole, quote.error)
    case 'EXPIRED':
      return errorAnswer(legRole, 'TOO_LATE')
  }
}

/**
 * A payee FSP's message must come from the payee FSP and be for the payer FSP; otherwise the quote
 * is unchanged.
 */
function misdirected(quote: StoredState, message: PayeeMessage): ErrorAnswer | undefined {
  if (message.requesterFspId !== quote.payeeFsp) return errorAnswer('REQUESTER', 'SENDER_NOT_PAYEE')
  const { destinationFspId: destination } = message
  return destination === undefined || destination === quote.payerFsp
    ? undefined
    : errorAnswer('PAYEE', 'DESTINATION_NOT_PAYER')
}

export function isPending<Stored extends { readonly state: string }>(
  quote: Stored,
): quote is Stored & Pending {
  return quote.state === 'PENDING'
}

function roleOf({ payerFsp, payeeFsp }: StoredState, fspId: string): 'PAYER' | 'PAYEE' | undefined {
  if (fspId === payerFsp) return 'PAYER'
  return fspId === payeeFsp ? 'PAYEE' : undefined
}

function errorAnswer(legRole: LegRole, error: ErrorAnswer['error']): ErrorAnswer {
  return { type: 'error', legRole, error }
}
