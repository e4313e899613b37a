/**
 * Maps events to values of the domain, and decisions to announcements. The original bytes of FSPs
 * are attached where they are the message to send.
 */
import type { OutgoingMessage } from '@causeway/bus'
import {
  derivedId,
  newEvent,
  type DomainEvent,
  type EventName,
  type EventOptions,
  type Payload,
  type Relay,
} from '@causeway/events'
import { writeDateTime, type ErrorInformation } from '@causeway/fspiop'
import { parseAmount } from '@causeway/money'
import type { LegRole } from '@causeway/protos'
import { writtenByHub } from './bodies.ts'
import type { Money, Violation } from '../rules/domain/rule.ts'
import type { Reject, Repeat, Response, ErrorAnswer } from './domain/decide.ts'
import type { Claimed, EndingMessage } from './domain/quote.ts'
import type { Judgement, QuoteRequest } from './domain/request.ts'
import { answerErrorOf, refusalRoles, requestErrorOf, violationErrorOf } from './errors.ts'

export type RequestEvent = DomainEvent<'QuoteRequestReceived'>
export type ResponseEvent = DomainEvent<'QuoteResponseReceived'>
export type RejectEvent = DomainEvent<'QuoteRejectReceived'>
export type QueryEvent = DomainEvent<'QuoteQueryReceived'>
export type QuoteEvent = RequestEvent | ResponseEvent | RejectEvent | QueryEvent

/** The stored part of a request beyond what decisions need. */
export interface Terms extends Claimed {
  readonly transactionId: string
  /** undefined: without a transaction request. */
  readonly transactionRequestId: string | undefined
  readonly amountType: 'SEND' | 'RECEIVE'
  /** Ten-thousandths. */
  readonly amount: bigint
}

/** The payee of a request without destination, for the lookup of its FSP. */
export interface PayeeParty {
  readonly type: string
  readonly identifier: string
  /** '' if there is none. */
  readonly subId: string | undefined
}

/** @param pending_max_ms how long a request without expiration waits for its answer */
export function requestOf({ payload, time }: RequestEvent, pending_max_ms: number): QuoteRequest {
  const { quoteId, requesterFspId, payer, amount, transactionType, expiration } = payload
  return {
    quoteId,
    payerFsp: requesterFspId,
    payerNamedFsp: textIn(partyIdInfoOf(payer), 'fspId'),
    amount: unitsOf(amount, quoteId),
    currency: amount.currency,
    scenario: textIn(transactionType, 'scenario') ?? '',
    expires_ms:
      expiration === undefined ? Date.parse(time) + pending_max_ms : Date.parse(expiration),
  }
}

export function termsOf({ id, payload }: RequestEvent, request: QuoteRequest): Terms {
  return {
    quoteId: payload.quoteId,
    transactionId: payload.transactionId,
    transactionRequestId: payload.transactionRequestId,
    payerFsp: payload.requesterFspId,
    amountType: payload.amountType,
    amount: request.amount,
    currency: request.currency,
    expiresAt: writeDateTime(request.expires_ms),
    requestHash: payload.payloadHash,
    payerVersion: payload.version,
    requestEventId: id,
  }
}

export function repeatOf({ id, payload }: RequestEvent): Repeat {
  const { requesterFspId: payerFsp, payloadHash } = payload
  return { eventId: id, payerFsp, payloadHash }
}

/** The FSP that the message names as destination or payee FSP. */
export function namedDestination({ payload }: RequestEvent): string | undefined {
  return payload.destinationFspId ?? textIn(partyIdInfoOf(payload.payee), 'fspId')
}

/** undefined if the payee cannot be read, for example because it is encrypted. */
export function payeeParty({ payload }: RequestEvent): PayeeParty | undefined {
  const info = partyIdInfoOf(payload.payee)
  const type = textIn(info, 'partyIdType')
  const identifier = textIn(info, 'partyIdentifier')
  if (type === undefined || identifier === undefined) return undefined
  return { type, identifier, subId: textIn(info, 'partySubIdOrType') }
}

export function payeeMessageOf(event: ResponseEvent | RejectEvent): Response | Reject {
  const { id: eventId, payload } = event
  const { quoteId, requesterFspId, destinationFspId, payloadHash } = payload
  const message = { eventId, quoteId, requesterFspId, destinationFspId, payloadHash }
  if (event.name === 'QuoteRejectReceived') {
    return { kind: 'REJECT', ...message, error: event.payload.errorInformation }
  }
  const { transferAmount, payeeFspFee, payeeFspCommission, expiration } = event.payload
  return {
    kind: 'RESPONSE',
    ...message,
    transferAmount: moneyOf(transferAmount, quoteId),
    fee: payeeFspFee === undefined ? undefined : moneyOf(payeeFspFee, quoteId),
    commission: payeeFspCommission === undefined ? undefined : moneyOf(payeeFspCommission, quoteId),
    validUntil_ms: Date.parse(expiration),
    received_ms: Date.parse(event.time),
  }
}

export function outcomeOf({ id, payload }: ResponseEvent | RejectEvent): EndingMessage {
  return { eventId: id, hash: payload.payloadHash }
}

export function requestAccepted(event: RequestEvent, destinationFspId: string): OutgoingMessage {
  const name = 'QuoteRequestAccepted'
  const { payload, relay, traceparent } = event
  const accepted = { ...payload, destinationFspId }
  return newEvent('quoting', name, accepted, { relay, traceparent })
}

/** The refusal of a request that is stored as REJECTED. */
export function requestRefused(
  event: RequestEvent,
  judgement: Exclude<Judgement, { readonly type: 'ask' }>,
): OutgoingMessage {
  const { traceparent } = event
  if (judgement.type === 'forbid') {
    const { violation } = judgement
    const name = 'RuleViolatedInQuoteRequest'
    const failed = failure(event, violationErrorOf(violation))
    return newEvent('quoting', name, { ...failed, ruleId: violation.ruleId }, { traceparent })
  }
  const { reason } = judgement
  const role = refusalRoles[reason]
  const failed = failure(event, requestErrorOf(reason))
  if (role === undefined) {
    return newEvent('quoting', 'InvalidQuoteRequest', failed, { traceparent })
  }
  const name = 'InvalidFSPInQuoteRequest'
  return newEvent('quoting', name, { ...failed, role }, { traceparent })
}

/** The id is in use for other content, or by another payer FSP. */
export function idUsed(event: RequestEvent): OutgoingMessage {
  const name = 'InvalidQuoteRequest'
  const failed = failure(event, answerErrorOf('ID_USED'))
  return newEvent('quoting', name, failed, repeatable(event, name))
}

function failure({ payload }: RequestEvent, error: ErrorInformation) {
  const { quoteId, requesterFspId, version } = payload
  return { quoteId, requesterFspId, version, errorInformation: error }
}

export function responseAccepted(event: ResponseEvent, payerFsp: string): OutgoingMessage {
  const name = 'QuoteResponseAccepted'
  const { payload, relay, traceparent } = event
  const accepted = { ...payload, destinationFspId: payerFsp }
  return newEvent('quoting', name, accepted, { relay, traceparent })
}

export interface Payer {
  readonly payerFsp: string
  readonly payerVersion: string
}

export function responseForbidden(
  event: ResponseEvent,
  { payerFsp, payerVersion }: Payer,
  violation: Violation,
): OutgoingMessage {
  const name = 'RuleViolatedInQuoteResponse'
  const { quoteId, requesterFspId, version } = event.payload
  const violated = {
    quoteId,
    payerFspId: payerFsp,
    payeeFspId: requesterFspId,
    payerVersion,
    payeeVersion: version,
    ruleId: violation.ruleId,
    errorInformation: violationErrorOf(violation),
  }
  return newEvent('quoting', name, violated, { traceparent: event.traceparent })
}

export function rejectAccepted(
  event: RejectEvent,
  { payerFsp, payerVersion }: Payer,
): OutgoingMessage {
  const name = 'QuoteRejectAccepted'
  const { payload, relay, traceparent } = event
  const { quoteId, requesterFspId, errorInformation } = payload
  const rejected = {
    quoteId,
    payerFspId: payerFsp,
    payeeFspId: requesterFspId,
    payerVersion,
    errorInformation,
  }
  return newEvent('quoting', name, rejected, { relay, traceparent })
}

/** The request could not be delivered to the payee FSP. */
export function undelivered(quote: Claimed, errorInformation: ErrorInformation): OutgoingMessage {
  const name = 'InvalidFSPInQuoteRequest'
  const { quoteId, payerFsp: requesterFspId, payerVersion: version, requestEventId } = quote
  const failed = { quoteId, requesterFspId, version, errorInformation, role: 'PAYEE' as const }
  return newEvent('quoting', name, failed, { id: derivedId(requestEventId, name, 'UNDELIVERED') })
}

export function errorMessage(event: QuoteEvent, { legRole, error }: ErrorAnswer): OutgoingMessage {
  const information = typeof error === 'string' ? answerErrorOf(error) : error
  return answer(event, legRole, { errorInformation: information }, undefined)
}

/** The payer FSP gets the payee FSP's own message, the payee FSP the same content from the hub. */
export function replayStored(
  event: QuoteEvent,
  legRole: 'PAYER' | 'PAYEE',
  stored: Relay | undefined,
): OutgoingMessage {
  if (stored === undefined) {
    return errorMessage(event, { type: 'error', legRole, error: 'ANSWER_NOT_KEPT' })
  }
  return answer(event, legRole, {}, legRole === 'PAYER' ? stored : writtenByHub(stored))
}

export function forward(event: QueryEvent, destinationFspId: string): OutgoingMessage {
  const name = 'QuoteQueryForwarded'
  const { payload, relay } = event
  const forwarded = { ...payload, destinationFspId }
  return newEvent('quoting', name, forwarded, { ...repeatable(event, name), relay })
}

function answer(
  event: QuoteEvent,
  legRole: LegRole,
  answerFields: Pick<Payload<'QuoteQueryResponse'>, 'errorInformation'>,
  relay: Relay | undefined,
): OutgoingMessage {
  const name = 'QuoteQueryResponse'
  const { quoteId, requesterFspId, version } = event.payload
  const response = { quoteId, requesterFspId, legRole, version, ...answerFields }
  return newEvent('quoting', name, response, { ...repeatable(event, name), relay })
}

/**
 * The id of an answer is derived from that of the query: repeated after a redelivery, it is the
 * same event.
 */
function repeatable({ id, traceparent }: QuoteEvent, name: EventName): EventOptions {
  return { id: derivedId(id, name), traceparent }
}

function moneyOf(
  { currency, amount }: Payload<'QuoteResponseReceived'>['transferAmount'],
  quoteId: string,
): Money {
  return { currency, amount: unitsOf({ amount }, quoteId) }
}

/** Throws for an amount that the edge should have refused. */
function unitsOf({ amount }: { readonly amount: string }, quoteId: string): bigint {
  const units = parseAmount(amount)
  if (units === undefined) throw new Error(`${quoteId} has an invalid amount`)
  return units
}

type Opaque = Readonly<Record<string, unknown>>

function partyIdInfoOf({ partyIdInfo }: Opaque): Opaque {
  return typeof partyIdInfo === 'object' && partyIdInfo !== null ? (partyIdInfo as Opaque) : {}
}

function textIn(members: Opaque, name: string): string | undefined {
  const value = members[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
