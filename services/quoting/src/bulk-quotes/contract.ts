/** Maps events of bulk quotes to values of the domain, and decisions to announcements. */
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
import type {
  PayeeMessage,
  Reject,
  Repeat,
  Response,
  ErrorAnswer,
} from '../quotes/domain/decide.ts'
import type { EndingMessage, RequestReason } from '../quotes/domain/quote.ts'
import { refusalRoles, requestErrorOf } from '../quotes/errors.ts'
import type { PayeeParty } from '../quotes/contract.ts'
import { writtenByHub, type MadeBody } from '../quotes/bodies.ts'
import type { ClaimedBulk } from './domain/bulk-quote.ts'
import type { BulkRequest } from './domain/judge-items.ts'
import type { Result } from './domain/judge-results.ts'
import { bulkAnswerErrorOf } from './errors.ts'

export type BulkRequestEvent = DomainEvent<'BulkQuoteRequestReceived'>
export type BulkResponseEvent = DomainEvent<'BulkQuoteResponseReceived'>
export type BulkRejectEvent = DomainEvent<'BulkQuoteRejectReceived'>
export type BulkQueryEvent = DomainEvent<'BulkQuoteQueryReceived'>
export type BulkEvent = BulkRequestEvent | BulkResponseEvent | BulkRejectEvent | BulkQueryEvent

/** A stored answer: an FSP's own message, or one of the hub, which has no headers. */
export interface StoredAnswer {
  readonly relay: Relay
  readonly encryption: string | undefined
}

/** `pending_max_ms`: how long a request without expiration waits for its answer. */
export function requestOf(
  { payload, time }: BulkRequestEvent,
  pending_max_ms: number,
): BulkRequest {
  const { requesterFspId, payerFspId, expiration, individualQuotes } = payload
  return {
    payerFsp: requesterFspId,
    payerNamedFsp: payerFspId,
    expires_ms:
      expiration === undefined ? Date.parse(time) + pending_max_ms : Date.parse(expiration),
    items: individualQuotes.map(({ quoteId, payeeFspId, amount, scenario }) => ({
      quoteId,
      payeeFspId,
      amount: unitsOf(amount.amount),
      currency: amount.currency,
      scenario: scenario ?? '',
    })),
  }
}

export function claimedBy(
  { id, payload }: BulkRequestEvent,
  { expires_ms }: BulkRequest,
): ClaimedBulk {
  return {
    bulkQuoteId: payload.bulkQuoteId,
    payerFsp: payload.requesterFspId,
    expiresAt: writeDateTime(expires_ms),
    requestHash: payload.payloadHash,
    payerVersion: payload.version,
    requestEventId: id,
  }
}

export function repeatOf({ id, payload }: BulkRequestEvent): Repeat {
  return { eventId: id, payerFsp: payload.requesterFspId, payloadHash: payload.payloadHash }
}

/** undefined if the payee cannot be read, for example because it is encrypted. */
export function partiesOf({ payload }: BulkRequestEvent): readonly (PayeeParty | undefined)[] {
  return payload.individualQuotes.map(({ partyIdType, partyIdentifier, partySubIdOrType }) =>
    partyIdType === undefined || partyIdentifier === undefined
      ? undefined
      : { type: partyIdType, identifier: partyIdentifier, subId: partySubIdOrType },
  )
}

export function arrivalOf({
  id,
  time,
  payload,
}: BulkResponseEvent): PayeeMessage & Pick<Response, 'received_ms'> {
  return { ...messageOf(id, payload), received_ms: Date.parse(time) }
}

export function rejectOf({ id, payload }: BulkRejectEvent): Reject {
  return { kind: 'REJECT', ...messageOf(id, payload), error: payload.errorInformation }
}

function messageOf(eventId: string, payload: (BulkResponseEvent | BulkRejectEvent)['payload']) {
  const { bulkQuoteId, requesterFspId, destinationFspId, payloadHash } = payload
  return { eventId, quoteId: bulkQuoteId, requesterFspId, destinationFspId, payloadHash }
}

export function resultsOf({ payload }: BulkResponseEvent): readonly Result[] {
  return payload.individualQuoteResults.map(
    ({ quoteId, transferAmount, payeeFspFee, payeeFspCommission, errorInformation }) => ({
      quoteId,
      transferAmount: moneyOf(transferAmount),
      fee: moneyOf(payeeFspFee),
      commission: moneyOf(payeeFspCommission),
      isError: errorInformation !== undefined,
    }),
  )
}

export function outcomeOf({ id, payload }: BulkResponseEvent | BulkRejectEvent): EndingMessage {
  return { eventId: id, hash: payload.payloadHash }
}

/** `made` without the items that are refused; undefined: it is relayed unchanged. */
export function requestAccepted(
  { payload, relay, traceparent }: BulkRequestEvent,
  destinationFspId: string,
  made: MadeBody | undefined,
): OutgoingMessage {
  const { bulkQuoteId, requesterFspId, expiration, version } = payload
  const accepted: Payload<'BulkQuoteRequestAccepted'> = {
    bulkQuoteId,
    requesterFspId,
    destinationFspId,
    ...(expiration === undefined ? {} : { expiration }),
    version,
    ...encryptionIn(made),
  }
  const options = { relay: relayOf(made, relay), traceparent }
  return newEvent('quoting', 'BulkQuoteRequestAccepted', accepted, options)
}

/** The refusal of the whole request. */
export function requestRefused(event: BulkRequestEvent, reason: RequestReason): OutgoingMessage {
  const { traceparent } = event
  const role = refusalRoles[reason]
  const failed = failure(event, requestErrorOf(reason))
  return role === undefined
    ? newEvent('quoting', 'InvalidBulkQuoteRequest', failed, { traceparent })
    : newEvent('quoting', 'InvalidFSPInBulkQuoteRequest', { ...failed, role }, { traceparent })
}

export function itemsRefused(event: BulkRequestEvent, body: Buffer): OutgoingMessage {
  const { bulkQuoteId, requesterFspId, version } = event.payload
  const payload = { bulkQuoteId, requesterFspId, version }
  const { traceparent } = event
  return newEvent('quoting', 'BulkQuoteItemsRefused', payload, { relay: { body }, traceparent })
}

/** The id was used before with other content, or by another payer FSP. */
export function idUsed(event: BulkRequestEvent): OutgoingMessage {
  const name = 'InvalidBulkQuoteRequest'
  const failed = failure(event, bulkAnswerErrorOf('ID_USED'))
  return newEvent('quoting', name, failed, repeatable(event, name))
}

function failure({ payload }: BulkRequestEvent, error: ErrorInformation) {
  const { bulkQuoteId, requesterFspId, version } = payload
  return { bulkQuoteId, requesterFspId, version, errorInformation: error }
}

interface Payer {
  readonly payerFsp: string
  readonly payerVersion: string
}

/** `made` with the errors of the hub; undefined: it is relayed unchanged. */
export function responseAccepted(
  { payload, relay, traceparent }: BulkResponseEvent,
  { payerFsp, payerVersion }: Payer,
  made: MadeBody | undefined,
): OutgoingMessage {
  const { bulkQuoteId, requesterFspId, version } = payload
  const accepted: Payload<'BulkQuoteResponseAccepted'> = {
    bulkQuoteId,
    requesterFspId,
    destinationFspId: payerFsp,
    payerVersion,
    version,
    ...encryptionIn(made),
  }
  const options = { relay: relayOf(made, relay), traceparent }
  return newEvent('quoting', 'BulkQuoteResponseAccepted', accepted, options)
}

export function itemsForbidden(
  { payload, traceparent }: BulkResponseEvent,
  body: Buffer,
): OutgoingMessage {
  const { bulkQuoteId, requesterFspId: payeeFspId, version: payeeVersion } = payload
  const forbidden = { bulkQuoteId, payeeFspId, payeeVersion }
  const options = { relay: { body }, traceparent }
  return newEvent('quoting', 'RuleViolatedInBulkQuoteResponse', forbidden, options)
}

export function rejectAccepted(
  { payload, relay, traceparent }: BulkRejectEvent,
  { payerFsp, payerVersion }: Payer,
): OutgoingMessage {
  const { bulkQuoteId, requesterFspId: payeeFspId, errorInformation } = payload
  const rejected = { bulkQuoteId, payerFspId: payerFsp, payeeFspId, payerVersion, errorInformation }
  return newEvent('quoting', 'BulkQuoteRejectAccepted', rejected, { relay, traceparent })
}

/** The request could not be delivered to the payee FSP. */
export function undelivered(
  bulk: ClaimedBulk,
  errorInformation: ErrorInformation,
): OutgoingMessage {
  const name = 'InvalidFSPInBulkQuoteRequest'
  const { bulkQuoteId, payerFsp: requesterFspId, payerVersion: version, requestEventId } = bulk
  const failed = { bulkQuoteId, requesterFspId, version, errorInformation, role: 'PAYEE' as const }
  return newEvent('quoting', name, failed, { id: derivedId(requestEventId, name, 'UNDELIVERED') })
}

export function tellError(event: BulkEvent, { legRole, error }: ErrorAnswer): OutgoingMessage {
  const information = typeof error === 'string' ? bulkAnswerErrorOf(error) : error
  return answer(event, legRole, { errorInformation: information }, undefined)
}

export function replayStored(
  event: BulkEvent,
  legRole: 'PAYER' | 'PAYEE',
  stored: StoredAnswer | undefined,
): OutgoingMessage {
  if (stored === undefined) {
    return tellError(event, { type: 'error', legRole, error: 'ANSWER_NOT_KEPT' })
  }
  const { relay, encryption } = stored
  // The payee FSP gets the content of its own message from the hub.
  return legRole === 'PAYER'
    ? answer(event, legRole, encryption === undefined ? {} : { encryption }, relay)
    : answer(event, legRole, {}, writtenByHub(relay))
}

export function forward(event: BulkQueryEvent, destinationFspId: string): OutgoingMessage {
  const name = 'BulkQuoteQueryForwarded'
  const { payload, relay } = event
  const forwarded = { ...payload, destinationFspId }
  return newEvent('quoting', name, forwarded, { ...repeatable(event, name), relay })
}

function answer(
  event: BulkEvent,
  legRole: ErrorAnswer['legRole'],
  content: Pick<Payload<'BulkQuoteQueryResponse'>, 'errorInformation' | 'encryption'>,
  relay: Relay | undefined,
): OutgoingMessage {
  const name = 'BulkQuoteQueryResponse'
  const { bulkQuoteId, requesterFspId, version } = event.payload
  const response = { bulkQuoteId, requesterFspId, legRole, version, ...content }
  return newEvent('quoting', name, response, { ...repeatable(event, name), relay })
}

/** The id of an answer is derived from that of the query: repeated after a redelivery, it is the same event. */
function repeatable({ id, traceparent }: BulkEvent, name: EventName): EventOptions {
  return { id: derivedId(id, name), traceparent }
}

function relayOf(made: MadeBody | undefined, received: Relay | undefined): Relay | undefined {
  if (made === undefined) return received
  const receivedAt = received?.receivedAt
  return { body: made.body, ...(receivedAt === undefined ? {} : { receivedAt }) }
}

function encryptionIn(made: MadeBody | undefined): { readonly encryption?: string } {
  return made?.encryption === undefined ? {} : { encryption: made.encryption }
}

function moneyOf(money: { readonly currency: string; readonly amount: string } | undefined) {
  if (money === undefined) return undefined
  return { currency: money.currency, amount: unitsOf(money.amount) }
}

/** Throws for an amount that the edge should have refused. */
function unitsOf(amount: string): bigint {
  const units = parseAmount(amount)
  if (units === undefined) throw new Error(`${amount} is not an amount`)
  return units
}
