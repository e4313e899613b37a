/**
 * The payee's side of a payment request: sends the request, passes on what the payer enters at the
 * payee's device, and ends when the transfer was accepted.
 */
import {
  errorBody,
  type ErrorInformation,
  errorInformation,
  putTransactionRequests,
  readAuthorizationsQuery,
  writeDateTime,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { moneyOf } from '../amount.ts'
import { openPendingRequests, type PendingRequests } from '../pending-requests.ts'
import { informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../inbound.ts'
import { extensionListOf, type Outgoing, type Route, writeMessage } from '../message.ts'
import { writeParty, writePartyIdInfo } from '../parties/party.ts'
import type { IncomingQuote } from '../quotes/quote.ts'
import {
  type CachedRequest,
  openIdempotencyCache,
  type IdempotencyCache,
} from '../idempotency-cache.ts'
import type { FieldEncryption } from '../field-encryption.ts'
import type { IncomingTransfer, PayeeDecision, PayeeOutcome } from '../transfers/outcome.ts'
import type {
  AuthorizationDecision,
  IncomingAuthorization,
  RequestEnd,
  RequestOrder,
  RequestResult,
} from './request.ts'
import { openTransactions } from './transactions.ts'

export interface RequestPayeeOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly fieldEncryption: FieldEncryption
  readonly onAuthorization: (
    asked: IncomingAuthorization,
  ) => AuthorizationDecision | Promise<AuthorizationDecision>
  readonly resendAfter_ms: number
  readonly margin_ms: number
  readonly remembered_max: number
}

export interface RequestPayee {
  requestPayment(order: RequestOrder): Promise<RequestResult>
  /** A quote was given: it names the transaction of the request. */
  quoted(quote: IncomingQuote): void
  /** A transfer was decided. */
  decided(transfer: IncomingTransfer, decision: PayeeDecision): void
  settled(outcome: PayeeOutcome): void
  readonly handlers: InboundHandlers
  close(): void
}

type Requests = PendingRequests<RequestOrder, RequestEnd>

const defaultType = { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' } as const

export function openRequestPayee(options: RequestPayeeOptions): RequestPayee {
  const { name, link, resendAfter_ms, margin_ms, remembered_max } = options
  const requests: Requests = openPendingRequests(link, resendAfter_ms)
  const transactions = openTransactions((requestId, transactionId, transferId) => {
    requests.answer(requestId, { state: 'PAID', transactionId, transferId })
  })
  const authorizations = openIdempotencyCache<CachedRequest>(link, remembered_max)

  return {
    async requestPayment(order) {
      const { transactionRequestId = randomUUID(), payer, expiration } = order
      const route = { from: name, to: payer.fspId }
      const ended = await requests.send({
        key: transactionRequestId,
        request: requestMessage(options, { ...order, transactionRequestId }),
        until_ms: expiration.getTime(),
        reminder: () => writeMessage('GET', `/transactionRequests/${transactionRequestId}`, route),
        deadline_ms: expiration.getTime() + margin_ms,
        context: order,
      })
      transactions.forget(transactionRequestId)
      return { transactionRequestId, ...ended }
    },
    quoted(quote) {
      const { transactionRequestId: id, transactionId } = quote
      const order = id === undefined ? undefined : requests.contextOf(id)
      if (id !== undefined && order !== undefined && isAnswer(quote, order)) {
        transactions.add(id, transactionId)
      }
    },
    decided: (transfer, decision) => transactions.decided(transfer, decision),
    settled: (outcome) => transactions.settled(outcome),
    handlers: {
      'PUT /transactionRequests/{ID}': (message) => handleState(options, requests, message),
      'PUT /transactionRequests/{ID}/error': (message) => handleError(options, requests, message),
      'GET /authorizations/{ID}': (message) =>
        handleAuthorization(options, requests, authorizations, message),
    },
    close: () => requests.close(),
  }
}

/** A quote for less than the requested amount does not pay the request. */
function isAnswer(quote: IncomingQuote, { payer, amount }: RequestOrder): boolean {
  return (
    quote.payerFsp === payer.fspId &&
    quote.amountType === 'RECEIVE' &&
    quote.amount.currency === amount.currency &&
    quote.amount.amount === amount.amount
  )
}

function requestMessage(
  { name, fieldEncryption }: RequestPayeeOptions,
  order: RequestOrder & { readonly transactionRequestId: string },
): Outgoing {
  const { payer, note, authenticationType } = order
  const { body, encryption } = fieldEncryption.encrypt(payer.fspId, {
    transactionRequestId: order.transactionRequestId,
    payee: writeParty(order.payee, name),
    payer: writePartyIdInfo(payer),
    amount: moneyOf(order.amount),
    transactionType: order.transactionType ?? defaultType,
    ...(note === undefined ? {} : { note }),
    ...(authenticationType === undefined ? {} : { authenticationType }),
    expiration: writeDateTime(order.expiration),
    ...extensionListOf(order.extensions),
  })
  const route = { from: name, to: payer.fspId }
  return writeMessage('POST', '/transactionRequests', route, body, encryption)
}

/** Only REJECTED is a final state here: the transfer shows whether the request is paid. */
function handleState({ hubName }: RequestPayeeOptions, requests: Requests, message: Received) {
  const id = idOf(message)
  const order = requests.contextOf(id)
  if (order === undefined) return 'NOT_MINE'
  const stranger = strangerIn(message, hubName, order)
  if (stranger !== undefined) return stranger
  const reading = bodyOf(putTransactionRequests, message)
  if (!reading.ok) return { rejected: reading.detail }
  if (reading.value.transactionRequestState === 'REJECTED') {
    requests.answer(id, { state: 'REJECTED' })
  }
  return 'HANDLED'
}

function handleError({ hubName }: RequestPayeeOptions, requests: Requests, message: Received) {
  const id = idOf(message)
  const order = requests.contextOf(id)
  if (order === undefined) return 'NOT_MINE'
  const stranger = strangerIn(message, hubName, order)
  if (stranger !== undefined) return stranger
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return { rejected: reading.detail }
  const error = informationIn(reading.value)
  // The answer to a GET that was received before the request itself.
  if (error.errorCode === '3206') requests.noteError(id, error)
  else requests.answer(id, { state: 'FAILED', error })
  return 'HANDLED'
}

function strangerIn(
  { source }: Received,
  hubName: string,
  { payer }: RequestOrder,
): Exclude<HandlerResult, string> | undefined {
  return source === hubName || source === payer.fspId
    ? undefined
    : { rejected: `${source} is not a party to the request` }
}

/** One attempt asks the payer once, however often the message arrives. */
function handleAuthorization(
  options: RequestPayeeOptions,
  requests: Requests,
  authorizations: IdempotencyCache<CachedRequest>,
  message: Received,
): HandlerResult {
  const reading = readAuthorizationsQuery(message.query)
  if (!reading.ok) return { rejected: reading.detail }
  const id = idOf(message)
  const route = { from: options.name, to: message.source }
  const order = requests.contextOf(id)
  if (order === undefined || order.payer.fspId !== message.source) {
    const unknown = errorMessage(route, id, errorInformation('3206'))
    void options.link.sendUntil(unknown, Date.now() + options.margin_ms)
    return 'HANDLED'
  }
  const { authenticationType, amount, currency, retriesLeft } = reading.value
  const attempt = `${id}/${retriesLeft}`
  const known = authorizations.get(attempt)
  if (known !== undefined) {
    authorizations.resend(known)
    return 'HANDLED'
  }
  const asked: CachedRequest = {
    terms: message.query,
    until_ms: order.expiration.getTime(),
    answer: undefined,
  }
  authorizations.add(attempt, asked)
  void authorize(options, route, {
    transactionRequestId: id,
    authenticationType,
    amount: { currency, amount },
    retriesLeft: Number(retriesLeft),
  }).then((answer) => authorizations.answer(asked, answer))
  return 'HANDLED'
}

async function authorize(
  { onAuthorization }: RequestPayeeOptions,
  route: Route,
  asked: IncomingAuthorization,
): Promise<Outgoing> {
  const { transactionRequestId: id, authenticationType: authentication } = asked
  let decision: AuthorizationDecision
  try {
    decision = await onAuthorization(asked)
  } catch {
    return errorMessage(route, id, errorInformation('5000'))
  }
  const body =
    decision.type === 'ENTERED'
      ? {
          authenticationInfo: { authentication, authenticationValue: decision.value },
          responseType: decision.type,
        }
      : { responseType: decision.type }
  return writeMessage('PUT', `/authorizations/${id}`, route, body)
}

function errorMessage(route: Route, id: string, error: ErrorInformation): Outgoing {
  return writeMessage('PUT', `/authorizations/${id}/error`, route, { errorInformation: error })
}
