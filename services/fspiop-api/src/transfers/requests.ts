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
  readTrace,
  templateVariables,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { errorInformationOf, extensionListOf, utc } from '../contract.ts'
import { failureCallback } from '../callback.ts'
import { against, bodyOf, idOf, malformed, relayOf, traceOf } from '../reading.ts'
import { answer_bytes_max } from '../receive.ts'
import { refuse } from '../refusals.ts'
import { reasonAgainstFulfil, reasonAgainstPrepare, type TimestampBounds } from './domain/rules.ts'

export interface TransferRules {
  readonly onUsAllowed: boolean
  readonly timestampBounds: TimestampBounds
  /** PUT with ABORTED, or with RESERVED in version 1.0, is answered 200 and ignored. */
  readonly ignoresWhatCannotCommit: boolean
  /** A transfer from an FSP to itself is refused by a callback instead of at once. */
  readonly refusesOnUsLater: boolean
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

function prepare(message: Incoming, rules: TransferRules): Reading {
  const reading = bodyOf(postTransfers, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { value } = reading
  const { transferId, payerFsp, payeeFsp, amount, condition, expiration, extensionList } = value
  const { source, destination } = message
  const reason = reasonAgainstPrepare(
    { source, destination, payerFsp, payeeFsp, amount: amount.amount, condition },
    rules,
  )
  if (reason === 'PAYER_IS_PAYEE' && rules.refusesOnUsLater) return refuseLater(message, transferId)
  if (reason !== undefined) return against(reason)
  const payload: Payload<'TransferPrepareRequested'> = {
    transferId,
    payerFsp,
    payeeFsp,
    amount: { currency: amount.currency, amount: amount.amount },
    expiration: utc(expiration),
    condition,
    payloadHash: payloadHash(reading.json),
    ...extensionListOf(extensionList),
    receivedAt: message.receivedAt,
    version: message.version,
  }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'TransferPrepareRequested', payload, {
      relay: relayOf('POST', message, payeeFsp),
      ...traceOf(message),
    }),
  }
}

/** Nothing is stored and no account is read, because the message itself is invalid. */
function refuseLater({ source, version, headers }: Incoming, transferId: string): Reading {
  const { code, detail } = refuse('PAYER_IS_PAYEE')
  const notice = {
    requesterFspId: source,
    operation: 'PUT /transfers/{ID}/error',
    path: `/transfers/${transferId}/error`,
    variables: templateVariables('transfers', { ID: transferId }),
    version,
  } as const
  return {
    type: 'RELAY',
    triggered: {
      causeId: randomUUID(),
      causeName: 'POST /transfers',
      traceparent: readTrace(headers)?.traceparent,
      callback: failureCallback(notice, transferId, errorInformation(code, detail)),
      isReported: false,
      onFailure: undefined,
    },
  }
}

function query(message: Incoming): Reading {
  const { source: requesterFspId, version } = message
  const payload = { transferId: idOf(message), requesterFspId, version }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'TransferQueryReceived', payload, traceOf(message)),
  }
}

function fulfil(message: Incoming, rules: TransferRules): Reading {
  const reading = bodyOf(putTransfers, message)
  if (!reading.ok) {
    return rules.ignoresWhatCannotCommit && isAborted(message.body)
      ? { type: 'IGNORE' }
      : malformed(reading.code, reading.detail)
  }
  const { transferState, fulfilment, completedTimestamp, extensionList } = reading.value
  const { version, receivedAt } = message
  const reason = reasonAgainstFulfil(
    {
      transferState,
      version,
      completed_ms: completedTimestamp === undefined ? undefined : Date.parse(completedTimestamp),
      received_ms: Date.parse(receivedAt),
    },
    rules.timestampBounds,
  )
  if (reason === 'RESERVED_IN_VERSION_1_0' && rules.ignoresWhatCannotCommit) {
    return { type: 'IGNORE' }
  }
  if (reason !== undefined) return against(reason)
  const payload: Payload<'TransferFulfilCommittedRequested'> = {
    transferId: idOf(message),
    requesterFspId: message.source,
    destinationFspId: message.destination ?? '',
    transferState,
    ...(fulfilment === undefined ? {} : { fulfilment }),
    ...(completedTimestamp === undefined ? {} : { completedTimestamp: utc(completedTimestamp) }),
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

function reject(message: Incoming): Reading {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const payload: Payload<'TransferRejectRequested'> = {
    transferId: idOf(message),
    requesterFspId: message.source,
    destinationFspId: message.destination ?? '',
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
