/** The requests on /transfers, and the event of each. FSPIOP 6.7. */
import { newEvent, type Payload } from '@causeway/events'
import {
  errorBody,
  errorInformation,
  payloadHash,
  postTransfers,
  putTransfers,
  putTransfersAnswer,
  readBody,
  utcDateTime,
} from '@causeway/fspiop'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { destinationOf, errorInformationOf, extensionListOf } from '../contract.ts'
import {
  against,
  bodyOf,
  idOf,
  malformed,
  refuseLater,
  relayOf,
  traceOf,
} from '../bodies/reading.ts'
import { answer_bytes_max } from '../bodies/receive.ts'
import { refuse } from '../refusals.ts'
import { reasonAgainstFulfil, reasonAgainstPrepare, type TimestampBounds } from './domain/rules.ts'

export interface TransferRules {
  readonly onUsAllowed: boolean
  readonly timestampBounds: TimestampBounds
  /** PUT with ABORTED, or with RESERVED in version 1.0, is answered 200 and ignored. */
  readonly ignoresWhatCannotCommit: boolean
  /** A transfer from an FSP to itself is refused by a callback instead of at once. */
  readonly refusesOnUsLater: boolean
  /** FSPIOP-Destination of POST may be another FSP than payeeFsp, to which the transfer goes. */
  readonly routesByPayee: boolean
}

export function transferRoutes(rules: TransferRules): ServedRoutes {
  const begins = { needsActiveSource: true } as const
  const finishes = {
    needsActiveSource: false,
    priority: 'COMPLETION',
    body_bytes_max: answer_bytes_max,
  } as const
  return {
    'POST /transfers': {
      ...begins,
      priority: 'TRANSFER',
      read: (message) => prepare(message, rules),
    },
    'GET /transfers/{ID}': { ...begins, priority: 'LOOKUP', read: query },
    'PUT /transfers/{ID}': {
      ...finishes,
      confirmsTime: true,
      read: (message) => fulfil(message, rules),
    },
    'PUT /transfers/{ID}/error': { ...finishes, read: reject },
  }
}

function prepare(message: Incoming, rules: TransferRules): ReadResult {
  const reading = bodyOf(postTransfers, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { value } = reading
  const { transferId, payerFsp, payeeFsp, amount, condition, expiration, extensionList } = value
  const { source } = message
  const destination = rules.routesByPayee ? undefined : message.destination
  const reason = reasonAgainstPrepare(
    { source, destination, payerFsp, payeeFsp, amount: amount.amount, condition },
    rules,
  )
  if (reason === 'PAYER_IS_PAYEE' && rules.refusesOnUsLater) {
    // No account is read, because the message itself is invalid.
    const { code, detail } = refuse(reason)
    return refuseLater(message, 'transfers', transferId, errorInformation(code, detail))
  }
  if (reason !== undefined) return against(reason)
  const payload: Payload<'TransferPrepareRequested'> = {
    transferId,
    payerFsp,
    payeeFsp,
    amount: { currency: amount.currency, amount: amount.amount },
    expiration: utcDateTime(expiration),
    condition,
    payloadHash: payloadHash(reading.json),
    ...extensionListOf(extensionList),
    receivedAt: message.receivedAt,
    version: message.version,
  }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'TransferPrepareRequested', payload, {
      relay: relayOf('POST', addressedTo(payeeFsp, message), payeeFsp),
      ...traceOf(message),
    }),
  }
}

/**
 * Names no other FSP than the payee FSP, unless the message is signed: its signature may cover the name
 * that was sent.
 */
function addressedTo(payeeFsp: string, message: Incoming): Incoming {
  const { destination, headers } = message
  const isLeft = destination === undefined || destination === payeeFsp
  return isLeft || headers['fspiop-signature'] !== undefined
    ? message
    : { ...message, destination: undefined }
}

function query(message: Incoming): ReadResult {
  const { source: requesterFspId, version } = message
  const payload = { transferId: idOf(message), requesterFspId, version }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'TransferQueryReceived', payload, traceOf(message)),
  }
}

function fulfil(message: Incoming, rules: TransferRules): ReadResult {
  const reading = bodyOf(putTransfers, message)
  if (!reading.ok) {
    return rules.ignoresWhatCannotCommit && isAborted(message.body)
      ? { type: 'IGNORE' }
      : malformed(reading.code, reading.detail)
  }
  const { transferState, fulfilment, completedTimestamp, extensionList } = reading.value
  const { version, receivedAt } = message
  const reason = reasonAgainstFulfil(
    { transferState, version, completedTimestamp, receivedAt },
    rules.timestampBounds,
  )
  if (reason === 'RESERVED_IN_VERSION_1_0' && rules.ignoresWhatCannotCommit) {
    return { type: 'IGNORE' }
  }
  if (reason !== undefined) return against(reason)
  const payload: Payload<'TransferFulfilCommittedRequested'> = {
    transferId: idOf(message),
    requesterFspId: message.source,
    ...destinationOf(message),
    transferState,
    ...(fulfilment === undefined ? {} : { fulfilment }),
    ...(completedTimestamp === undefined
      ? {}
      : { completedTimestamp: utcDateTime(completedTimestamp) }),
    notifyPayee: transferState === 'RESERVED',
    ...extensionListOf(extensionList),
    payloadHash: payloadHash(reading.json),
    receivedAt,
    version,
  }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'TransferFulfilCommittedRequested', payload, {
      relay: relayOf('PUT', message),
      ...traceOf(message),
    }),
  }
}

function reject(message: Incoming): ReadResult {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const payload: Payload<'TransferRejectRequested'> = {
    transferId: idOf(message),
    requesterFspId: message.source,
    ...destinationOf(message),
    errorInformation: errorInformationOf(reading.value.errorInformation),
    payloadHash: payloadHash(reading.json),
    receivedAt: message.receivedAt,
    version: message.version,
  }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'TransferRejectRequested', payload, {
      relay: relayOf('PUT', message),
      ...traceOf(message),
    }),
  }
}

function isAborted(body: Buffer): boolean {
  const reading = readBody(putTransfersAnswer, body)
  return reading.ok && reading.value.transferState === 'ABORTED'
}
