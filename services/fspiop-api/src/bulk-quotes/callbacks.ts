/**
 * The callbacks of the events of a bulk quote. FSPs' own messages are relayed byte for byte; those from
 * which the hub has removed items, or to which it has added errors, are messages of the hub. FSPIOP 6.9.
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

const { get, post, put, putError } = callbacksOf('bulkQuotes')

/** Each event that causes callbacks, with its report event. */
export const bulkQuoteReports = {
  BulkQuoteRequestAccepted: 'BulkQuoteReceivedCallbackReport',
  BulkQuoteResponseAccepted: 'BulkQuoteAcceptedCallbackReport',
  BulkQuoteRejectAccepted: 'BulkQuoteRejectCallbackReport',
  BulkQuoteQueryForwarded: 'BulkQuoteQueryResponseCallbackReport',
  BulkQuoteQueryResponse: 'BulkQuoteQueryResponseCallbackReport',
  InvalidBulkQuoteRequest: 'InvalidBulkQuoteRequestCallbackReport',
  InvalidFSPInBulkQuoteRequest: 'InvalidFSPInBulkQuoteRequestCallbackReport',
  BulkQuoteItemsRefused: 'BulkQuoteItemsRefusedCallbackReport',
  RuleViolatedInBulkQuoteResponse: 'RuleViolatedInBulkQuoteResponseCallbackReport',
} as const satisfies Partial<Record<EventName, EventName>>

export type BulkQuoteCallbackEvent = DomainEvent<keyof typeof bulkQuoteReports>

export function bulkQuoteCallbacks(event: BulkQuoteCallbackEvent): readonly Callback[] {
  switch (event.name) {
    case 'BulkQuoteRequestAccepted':
      return [request(event.payload, event.relay)]
    case 'BulkQuoteResponseAccepted':
      return [response(event.payload, event.relay)]
    case 'BulkQuoteRejectAccepted':
      return [rejected(event.payload, event.relay)]
    case 'BulkQuoteQueryForwarded':
      return [forwarded(event.payload, event.relay)]
    case 'BulkQuoteQueryResponse':
      return [answered(event.payload, event.relay)]
    case 'InvalidBulkQuoteRequest':
    case 'InvalidFSPInBulkQuoteRequest':
      return [refused(event.payload)]
    case 'BulkQuoteItemsRefused':
      return [itemsRefused(event.payload, event.relay)]
    case 'RuleViolatedInBulkQuoteResponse':
      return [forbidden(event.payload, event.relay)]
  }
}

/** The error callback for a request that no service has stored and that cannot be delivered. */
export function bulkQuoteFailure(event: BulkQuoteCallbackEvent): FailureNotice | undefined {
  const isUnstored =
    event.name === 'BulkQuoteQueryForwarded' ||
    (event.name === 'BulkQuoteRequestAccepted' && event.payload.isUnstored)
  if (!isUnstored) return undefined
  const expiration = 'expiration' in event.payload ? event.payload.expiration : undefined
  const { bulkQuoteId, requesterFspId, version } = event.payload
  return {
    requesterFspId,
    operation: 'PUT /bulkQuotes/{ID}/error',
    path: `/bulkQuotes/${bulkQuoteId}/error`,
    variables: templateVariables('bulkQuotes', { ID: bulkQuoteId }),
    version,
    ...(expiration === undefined ? {} : expiryAt(expiration, '3302')),
  }
}

function request(payload: Payload<'BulkQuoteRequestAccepted'>, relay: Relay | undefined): Callback {
  const { bulkQuoteId, destinationFspId, expiration } = payload
  return post({
    role: 'PAYEE',
    fspId: destinationFspId,
    id: bulkQuoteId,
    content: contentOf(payload, relay),
    deadline: expiration,
  })
}

function response(
  payload: Payload<'BulkQuoteResponseAccepted'>,
  relay: Relay | undefined,
): Callback {
  const { bulkQuoteId, destinationFspId, payerVersion: version } = payload
  const content = contentOf({ ...payload, version }, relay)
  return put({ role: 'PAYER', fspId: destinationFspId, id: bulkQuoteId, content })
}

function rejected(payload: Payload<'BulkQuoteRejectAccepted'>, relay: Relay | undefined): Callback {
  const { bulkQuoteId, payerFspId, errorInformation, payerVersion } = payload
  const content: CallbackContent =
    relay === undefined
      ? errorContent('bulkQuotes', errorInformation, payerVersion)
      : { type: 'RELAYED', relay }
  return putError({ role: 'PAYER', fspId: payerFspId, id: bulkQuoteId, content })
}

function forwarded(
  payload: Payload<'BulkQuoteQueryForwarded'>,
  relay: Relay | undefined,
): Callback {
  const { bulkQuoteId, destinationFspId } = payload
  return get({
    role: 'PAYEE',
    fspId: destinationFspId,
    id: bulkQuoteId,
    content: contentOf(payload, relay),
  })
}

function answered(payload: Payload<'BulkQuoteQueryResponse'>, relay: Relay | undefined): Callback {
  const { bulkQuoteId, requesterFspId, legRole, version, errorInformation } = payload
  const to = { role: legRole, fspId: requesterFspId, id: bulkQuoteId } as const
  return errorInformation === undefined
    ? put({ ...to, content: contentOf(payload, relay) })
    : putError({ ...to, content: errorContent('bulkQuotes', errorInformation, version) })
}

function refused(payload: Payload<'InvalidBulkQuoteRequest'>): Callback {
  const { bulkQuoteId, requesterFspId, version, errorInformation } = payload
  const content = errorContent('bulkQuotes', errorInformation, version)
  return putError({ role: 'PAYER', fspId: requesterFspId, id: bulkQuoteId, content })
}

function itemsRefused(
  payload: Payload<'BulkQuoteItemsRefused'>,
  relay: Relay | undefined,
): Callback {
  const { bulkQuoteId, requesterFspId } = payload
  const content = contentOf(payload, relay)
  return put({ role: 'PAYER', fspId: requesterFspId, id: bulkQuoteId, content })
}

function forbidden(
  payload: Payload<'RuleViolatedInBulkQuoteResponse'>,
  relay: Relay | undefined,
): Callback {
  const { bulkQuoteId, payeeFspId, payeeVersion: version } = payload
  const content = contentOf({ bulkQuoteId, version }, relay)
  return put({ role: 'PAYEE', fspId: payeeFspId, id: bulkQuoteId, content })
}

interface ContentFacts {
  readonly bulkQuoteId: string
  readonly version: string
  readonly encryption?: string | undefined
}

/** With headers it is an FSP's own message, without them a message of the hub. */
function contentOf(
  { bulkQuoteId, version, encryption }: ContentFacts,
  relay: Relay | undefined,
): CallbackContent {
  if (relay === undefined) throw new Error(`${bulkQuoteId} has no message to relay`)
  if (relay.headers !== undefined) return { type: 'RELAYED', relay }
  return {
    type: 'CREATED',
    version: versionOf('bulkQuotes', version),
    body: relay.body,
    ...(encryption === undefined ? {} : { encryption }),
  }
}
