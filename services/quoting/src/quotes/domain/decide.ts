/**
 * What a message means for the quote that is stored under its id. The rule is the same for every kind
 * of message: the same event again is a redelivery and says nothing; another event is a client's
 * duplicate, to be ignored while the quote is in flight and answered once it is final; other content
 * under the same id is refused; and who is not party to the quote learns nothing of it.
 */
import { judgeAnswer } from '../../rules/domain/judge-answer.ts'
import type { Money, Rule, Violation } from '../../rules/domain/rule.ts'
import type { Accepted, Claimed, ErrorInformation, Expired, Pending, Rejected } from './quote.ts'

type Known = Pick<Claimed, 'payerFsp' | 'expiresAt' | 'requestHash' | 'requestEventId'>
type Ended = Pick<Accepted, 'state' | 'payeeFsp' | 'outcome'> | RejectedForAny | Expired
/** Whatever the reason is: a bulk has other ones. */
type RejectedForAny = Omit<Rejected, 'reason' | 'ruleId'> & { readonly reason: string }

/** As much of what is stored under an id as messages about it are decided by: of a quote, or of a bulk. */
export type Held = Known & (Pending | Ended)

/** The request whose id is stored already. */
export interface Repeat {
  readonly eventId: string
  readonly payerFsp: string
  readonly payloadHash: string
}

export interface PayeeMessage {
  readonly eventId: string
  readonly quoteId: string
  readonly requesterFspId: string
  /** '' when the sender left it to the hub to know for whom it is. */
  readonly destinationFspId: string
  readonly payloadHash: string
}

/** PUT /quotes/{id}. */
export interface Response extends PayeeMessage {
  readonly kind: 'RESPONSE'
  readonly transferAmount: Money
  readonly fee: Money | undefined
  readonly commission: Money | undefined
  readonly validUntil_ms: number
  /** By the clock of the edge that took it. */
  readonly received_ms: number
}

/** PUT /quotes/{id}/error. */
export interface Reject extends PayeeMessage {
  readonly kind: 'REJECT'
  readonly error: ErrorInformation
}

export type LegRole = 'PAYER' | 'PAYEE' | 'REQUESTER'

/** Why somebody is told an error that is not stored with the quote. */
export const answerReasons = [
  'ID_UNKNOWN',
  'ID_USED',
  'SENDER_NOT_PAYEE',
  'DESTINATION_NOT_PAYER',
  'CONTENT_MODIFIED',
  'TOO_LATE',
  'NOT_PENDING',
  'ANSWER_OWED',
  'ANSWER_NOT_KEPT',
  'ASKER_NOT_PARTY',
  'DESTINATION_MISSING',
] as const

export type AnswerReason = (typeof answerReasons)[number]

export interface Told {
  readonly type: 'tell'
  readonly legRole: LegRole
  readonly error: AnswerReason | ErrorInformation
}

/** The payee FSP's own answer again. */
export interface Replay {
  readonly type: 'replay'
  readonly legRole: 'PAYER' | 'PAYEE'
}

/** Nothing is said: whoever sent this has been told, or will be. */
export interface Silence {
  readonly type: 'silence'
}

export type RepeatDecision =
  | Silence
  | Told
  | Replay
  /** The id was used for something else, or by somebody else. */
  | { readonly type: 'refuse'; readonly reason: 'ID_USED' }

export type PayeeDecision =
  | Silence
  | Told
  | { readonly type: 'accept' }
  | { readonly type: 'forbid'; readonly violation: Violation }
  | { readonly type: 'reject'; readonly error: ErrorInformation }

export type QueryDecision =
  | Told
  | Replay
  /** The payee FSP has not answered yet: it is asked itself. */
  | { readonly type: 'forward'; readonly to: string }

const silence: Silence = { type: 'silence' }

export function decideRepeat(quote: Held, repeat: Repeat): RepeatDecision {
  if (quote.requestEventId === repeat.eventId) return silence
  if (quote.payerFsp !== repeat.payerFsp || quote.requestHash !== repeat.payloadHash) {
    return { type: 'refuse', reason: 'ID_USED' }
  }
  return isPending(quote) ? silence : toldAgain(quote, 'PAYER')
}

/**
 * The edge's clock may run ahead: nothing that is decided now can have been received later than now.
 * @param now_ms by the clock of this process
 */
export function decideResponse(
  quote: (Held & Pick<Claimed, 'currency'>) | undefined,
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
  | Told
  | Silence
  | { readonly type: 'counts'; readonly pending: Stored & Pending; readonly received_ms: number }

/** Whether an answer came from whom, for whom and when it should, so that what it says counts. */
export function decideArrival<Stored extends Held>(
  quote: Stored | undefined,
  response: PayeeMessage & Pick<Response, 'received_ms'>,
  now_ms: number,
): Arrival<Stored> {
  if (quote === undefined) return tell('REQUESTER', 'ID_UNKNOWN')
  const wrong = misdirected(quote, response)
  if (wrong !== undefined) return wrong
  if (!isPending(quote)) return decideEnded(quote, response)
  const received_ms = Math.min(response.received_ms, now_ms)
  if (received_ms >= Date.parse(quote.expiresAt)) return tell('PAYEE', 'TOO_LATE')
  return { type: 'counts', pending: quote, received_ms }
}

/** A refusal is never too late while the quote is pending: the payer FSP is better told than not. */
export function decideReject(quote: Held | undefined, reject: Reject): PayeeDecision {
  if (quote === undefined) return tell('REQUESTER', 'ID_UNKNOWN')
  const wrong = misdirected(quote, reject)
  if (wrong !== undefined) return wrong
  return isPending(quote) ? { type: 'reject', error: reject.error } : decideEnded(quote, reject)
}

/** What the sender of a message hears that met a final quote. */
function decideEnded(quote: Held, message: PayeeMessage): Told | Silence {
  if (quote.state === 'PENDING') throw new Error('the quote has not ended')
  if (quote.state === 'EXPIRED') return tell('PAYEE', 'TOO_LATE')
  const { outcome } = quote
  if (outcome === undefined) return tell('PAYEE', 'NOT_PENDING')
  if (outcome.eventId === message.eventId) return silence
  if (outcome.hash !== message.payloadHash) return tell('PAYEE', 'CONTENT_MODIFIED')
  // Its answer was taken, or it was its own refusal; only of a broken rule it was told.
  return quote.state === 'REJECTED' && quote.reason === 'RULE'
    ? tell('PAYEE', quote.error)
    : silence
}

export function decideQuery(quote: Held | undefined, requesterFspId: string): QueryDecision {
  if (quote === undefined) return tell('REQUESTER', 'ID_UNKNOWN')
  const legRole = roleOf(quote, requesterFspId)
  if (legRole === undefined) return tell('REQUESTER', 'ASKER_NOT_PARTY')
  if (!isPending(quote)) return toldAgain(quote, legRole)
  return legRole === 'PAYER'
    ? { type: 'forward', to: quote.payeeFsp }
    : tell('PAYEE', 'ANSWER_OWED')
}

function toldAgain(quote: Ended, legRole: 'PAYER' | 'PAYEE'): Told | Replay {
  switch (quote.state) {
    case 'ACCEPTED':
      return { type: 'replay', legRole }
    case 'REJECTED':
      return tell(legRole, quote.error)
    case 'EXPIRED':
      return tell(legRole, 'TOO_LATE')
  }
}

/** A payee's message must come from the payee and be for the payer; else the quote is untouched. */
function misdirected(quote: Held, message: PayeeMessage): Told | undefined {
  if (message.requesterFspId !== quote.payeeFsp) return tell('REQUESTER', 'SENDER_NOT_PAYEE')
  const { destinationFspId: destination } = message
  return destination === '' || destination === quote.payerFsp
    ? undefined
    : tell('PAYEE', 'DESTINATION_NOT_PAYER')
}

export function isPending<Stored extends { readonly state: string }>(
  quote: Stored,
): quote is Stored & Pending {
  return quote.state === 'PENDING'
}

function roleOf({ payerFsp, payeeFsp }: Held, fspId: string): 'PAYER' | 'PAYEE' | undefined {
  if (fspId === payerFsp) return 'PAYER'
  return fspId === payeeFsp ? 'PAYEE' : undefined
}

function tell(legRole: LegRole, error: Told['error']): Told {
  return { type: 'tell', legRole, error }
}
