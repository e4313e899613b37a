/**
 * The callbacks of the events of a quote. FSPs' own messages are relayed byte for byte; everything else
 * is a message of the hub. FSPIOP 6.5.
 */
import type { DomainEvent, EventName, Payload, Relay } from '@causeway/events'
import { templateVariables } from '@causeway/fspiop'
import {
  callbacksOf,
  errorContent,
  expiryAt,
  versionOf,
  type FailureNotice,
  type Callback,
  type CallbackContent,
} from '../callbacks/callback.ts'

const { get, post, put, putError } = callbacksOf('quotes')

/** Each event that causes callbacks, with its report event. */
export const quoteReports = {
  QuoteRequestAccepted: 'QuoteReceivedCallbackReport',
  QuoteResponseAccepted: 'QuoteAcceptedCallbackReport',
  QuoteRejectAccepted: 'QuoteRejectCallbackReport',
  QuoteQueryForwarded: 'QuoteQueryResponseCallbackReport',
  QuoteQueryResponse: 'QuoteQueryResponseCallbackReport',
  InvalidQuoteRequest: 'InvalidQuoteRequestCallbackReport',
  InvalidFSPInQuoteRequest: 'InvalidFSPInQuoteRequestCallbackReport',
  RuleViolatedInQuoteRequest: 'RuleViolatedInQuoteRequestCallbackReport',
  RuleViolatedInQuoteResponse: 'RuleViolatedInQuoteResponseCallbackReport',
} as const satisfies Partial<Record<EventName, EventName>>

export type QuoteCallbackEvent = DomainEvent<keyof typeof quoteReports>

export function quoteCallbacks(event: QuoteCallbackEvent): readonly Callback[] {
  switch (event.name) {
    case 'QuoteRequestAccepted':
      return [request(event.payload, event.relay)]
    case 'QuoteResponseAccepted':
      return [response(event.payload, event.relay)]
    case 'QuoteRejectAccepted':
      return [rejected(event.payload, event.relay)]
    case 'QuoteQueryForwarded':
      return [forwarded(event.payload, event.relay)]
    case 'QuoteQueryResponse':
      return [answered(event.payload, event.relay)]
    case 'InvalidQuoteRequest':
    case 'InvalidFSPInQuoteRequest':
    case 'RuleViolatedInQuoteRequest':
      return [refused(event.payload)]
    case 'RuleViolatedInQuoteResponse':
      return violated(event.payload)
  }
}

/** The error callback for a request that no service has stored and that cannot be delivered. */
export function quoteFailure(event: QuoteCallbackEvent): FailureNotice | undefined {
  switch (event.name) {
    case 'QuoteRequestAccepted':
      return event.payload.isUnstored ? requestFailureOf(event.payload) : undefined
    case 'QuoteQueryForwarded':
      return failureOf(event.payload)
    default:
      return undefined
  }
}

function requestFailureOf(payload: Payload<'QuoteRequestAccepted'>): FailureNotice {
  const { expiration } = payload
  const expiry = expiration === undefined ? {} : expiryAt(expiration, '3302')
  return { ...failureOf(payload), ...expiry }
}

function failureOf({
  quoteId,
  requesterFspId,
  version,
}: Payload<'QuoteQueryForwarded' | 'QuoteRequestAccepted'>): FailureNotice {
  return {
    requesterFspId,
    operation: 'PUT /quotes/{ID}/error',
    path: `/quotes/${quoteId}/error`,
    variables: templateVariables('quotes', { ID: quoteId }),
    version,
  }
}

function request(payload: Payload<'QuoteRequestAccepted'>, relay: Relay | undefined): Callback {
  const { quoteId, destinationFspId, expiration } = payload
  return post({
    role: 'PAYEE',
    fspId: destinationFspId,
    id: quoteId,
    content: relayed(quoteId, relay),
    deadline: expiration,
  })
}

function response(payload: Payload<'QuoteResponseAccepted'>, relay: Relay | undefined): Callback {
  const { quoteId, destinationFspId } = payload
  return put({
    role: 'PAYER',
    fspId: destinationFspId,
    id: quoteId,
    content: relayed(quoteId, relay),
  })
}

function rejected(payload: Payload<'QuoteRejectAccepted'>, relay: Relay | undefined): Callback {
  const { quoteId, payerFspId, errorInformation, payerVersion } = payload
  const content: CallbackContent =
    relay === undefined
      ? errorContent('quotes', errorInformation, payerVersion)
      : { type: 'RELAYED', relay }
  return putError({ role: 'PAYER', fspId: payerFspId, id: quoteId, content })
}

function forwarded(payload: Payload<'QuoteQueryForwarded'>, relay: Relay | undefined): Callback {
  const { quoteId, destinationFspId } = payload
  return get({
    role: 'PAYEE',
    fspId: destinationFspId,
    id: quoteId,
    content: relayed(quoteId, relay),
  })
}

/** With headers the stored answer is the payee FSP's own message, without them one of the hub. */
function answered(payload: Payload<'QuoteQueryResponse'>, relay: Relay | undefined): Callback {
  const { quoteId, requesterFspId, legRole, version, errorInformation } = payload
  const to = { role: legRole, fspId: requesterFspId, id: quoteId } as const
  if (errorInformation !== undefined) {
    return putError({ ...to, content: errorContent('quotes', errorInformation, version) })
  }
  if (relay === undefined) throw new Error(`${quoteId} has neither an answer nor an error`)
  const content: CallbackContent =
    relay.headers === undefined
      ? { type: 'CREATED', version: versionOf('quotes', version), body: relay.body }
      : { type: 'RELAYED', relay }
  return put({ ...to, content })
}

function refused(payload: Payload<'InvalidQuoteRequest'>): Callback {
  const { quoteId, requesterFspId, version, errorInformation } = payload
  const content = errorContent('quotes', errorInformation, version)
  return putError({ role: 'PAYER', fspId: requesterFspId, id: quoteId, content })
}

function violated(payload: Payload<'RuleViolatedInQuoteResponse'>): readonly Callback[] {
  const { quoteId, payerFspId, payeeFspId, payerVersion, payeeVersion, errorInformation } = payload
  return [
    putError({
      role: 'PAYER',
      fspId: payerFspId,
      id: quoteId,
      content: errorContent('quotes', errorInformation, payerVersion),
    }),
    putError({
      role: 'PAYEE',
      fspId: payeeFspId,
      id: quoteId,
      content: errorContent('quotes', errorInformation, payeeVersion),
    }),
  ]
}

function relayed(quoteId: string, relay: Relay | undefined): CallbackContent {
  if (relay === undefined) throw new Error(`${quoteId} has no message to relay`)
  return { type: 'RELAYED', relay }
}
