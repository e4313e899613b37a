/** The requests on /bulkTransfers, and the event of each. FSPIOP 6.10. */
import { newEvent, type Payload } from '@causeway/events'
import { errorBody, payloadHash } from '@causeway/fspiop'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { errorInformationOf } from '../contract.ts'
import { digestReading, type LargeBodies } from '../large-bodies.ts'
import { against, bodyOf, idOf, malformed, relayOf, traceOf } from '../reading.ts'
import { answer_bytes_max } from '../receive.ts'
import { refuse } from '../refusals.ts'
import { reasonAgainstPrepare } from '../transfers/domain/rules.ts'

export interface BulkTransferRules {
  readonly largeBodies: LargeBodies
  readonly onUsAllowed: boolean
}

export function bulkTransferRoutes(rules: BulkTransferRules): ServedRoutes {
  const begins = { needsActiveSource: true } as const
  const finishes = { needsActiveSource: false, priority: 'COMPLETION', confirmsTime: true } as const
  return {
    'POST /bulkTransfers': {
      ...begins,
      priority: 'TRANSFER',
      isBulk: true,
      read: (message) => prepare(message, rules),
    },
    'GET /bulkTransfers/{ID}': { ...begins, priority: 'LOOKUP', read: query },
    'PUT /bulkTransfers/{ID}': {
      ...finishes,
      read: (message) => fulfil(message, rules.largeBodies),
    },
    'PUT /bulkTransfers/{ID}/error': {
      ...finishes,
      body_bytes_max: answer_bytes_max,
      read: reject,
    },
  }
}

function prepare(message: Incoming, { largeBodies, onUsAllowed }: BulkTransferRules): Reading {
  return digestReading(largeBodies, 'POST /bulkTransfers', message, (payload) => {
    const fault = faultOf(message, payload, onUsAllowed)
    if (fault !== undefined) return fault
    return {
      type: 'PUBLISH',
      event: newEvent('fspiop-api', 'BulkTransferPrepareRequested', payload, {
        relay: relayOf('POST', message, payload.payeeFsp),
        ...traceOf(message),
      }),
    }
  })
}

/** The first reason to refuse an item, which refuses the message. */
function faultOf(
  { source, destination }: Incoming,
  { payerFsp, payeeFsp, individualTransfers }: Payload<'BulkTransferPrepareRequested'>,
  onUsAllowed: boolean,
): Reading | undefined {
  for (const { transferId, amount, condition } of individualTransfers) {
    const facts = { source, destination, payerFsp, payeeFsp, amount: amount.amount, condition }
    const reason = reasonAgainstPrepare(facts, { onUsAllowed })
    if (reason === undefined) continue
    if (reason !== 'AMOUNT_ZERO' && reason !== 'CONDITION_NOT_32_BYTES') return against(reason)
    const refusal = refuse(reason)
    const detail = [refusal.detail, `transfer ${transferId}`].filter((part) => part !== '')
    return { type: 'REFUSE', refusal: { ...refusal, detail: detail.join(', ') } }
  }
  return undefined
}

function query(message: Incoming): Reading {
  const { source: requesterFspId, version } = message
  const payload = { bulkTransferId: idOf(message), requesterFspId, version }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'BulkTransferQueryReceived', payload, traceOf(message)),
  }
}

function fulfil(message: Incoming, largeBodies: LargeBodies): Reading {
  return digestReading(largeBodies, 'PUT /bulkTransfers/{ID}', message, (digested) => {
    const payload: Payload<'BulkTransferFulfilRequested'> = {
      bulkTransferId: idOf(message),
      ...digested,
    }
    return {
      type: 'PUBLISH',
      event: newEvent('fspiop-api', 'BulkTransferFulfilRequested', payload, {
        relay: relayOf('PUT', message),
        ...traceOf(message),
      }),
    }
  })
}

function reject(message: Incoming): Reading {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const payload: Payload<'BulkTransferRejectRequested'> = {
    bulkTransferId: idOf(message),
    requesterFspId: message.source,
    destinationFspId: message.destination ?? '',
    errorInformation: errorInformationOf(reading.value.errorInformation),
    payloadHash: payloadHash(reading.json),
    receivedAt: message.receivedAt,
    version: message.version,
  }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'BulkTransferRejectRequested', payload, {
      relay: relayOf('PUT', message),
      ...traceOf(message),
    }),
  }
}
