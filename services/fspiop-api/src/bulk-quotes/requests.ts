/** The requests on /bulkQuotes, and the event of each. FSPIOP 6.9. */
import { newEvent, type Payload } from '@causeway/events'
import { errorBody, payloadHash } from '@causeway/fspiop'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { destinationOf, errorInformationOf } from '../contract.ts'
import { digestReading, type LargeBodies } from '../bodies/large-bodies.ts'
import { against, bodyOf, idOf, malformed, relayOf, traceOf } from '../bodies/reading.ts'
import { answer_bytes_max } from '../bodies/receive.ts'

export interface BulkQuoteRules {
  readonly largeBodies: LargeBodies
  /** FSPIOP-Destination is required; otherwise the hub finds the payees' FSP. */
  readonly needsDestination: boolean
}

export function bulkQuoteRoutes(rules: BulkQuoteRules): ServedRoutes {
  const { largeBodies } = rules
  const begins = { needsActiveSource: true } as const
  const finishes = { needsActiveSource: false, priority: 'ANSWER' } as const
  return {
    'POST /bulkQuotes': {
      ...begins,
      priority: 'QUOTE',
      weight: 'BODY',
      read: (message) => ask(message, rules),
    },
    'GET /bulkQuotes/{ID}': {
      ...begins,
      priority: 'LOOKUP',
      weight: 'LARGEST_BULK',
      read: query,
    },
    'PUT /bulkQuotes/{ID}': {
      ...finishes,
      weight: 'BODY',
      read: (message) => answer(message, largeBodies),
    },
    'PUT /bulkQuotes/{ID}/error': { ...finishes, body_bytes_max: answer_bytes_max, read: refuse },
  }
}

function ask(message: Incoming, { largeBodies, needsDestination }: BulkQuoteRules): ReadResult {
  if (needsDestination && message.destination === undefined) return against('DESTINATION_MISSING')
  return digestReading(largeBodies, 'POST /bulkQuotes', message, (payload) => {
    const { payerFspId, individualQuotes } = payload
    if (payerFspId !== undefined && payerFspId !== message.source) {
      return against('REQUESTER_NOT_PAYER')
    }
    const [first] = individualQuotes
    return {
      type: 'PUBLISH',
      event: newEvent('fspiop-api', 'BulkQuoteRequestReceived', payload, {
        relay: relayOf('POST', message, first?.payeeFspId),
        ...traceOf(message),
      }),
    }
  })
}

function query(message: Incoming): ReadResult {
  const { source: requesterFspId, version } = message
  const payload: Payload<'BulkQuoteQueryReceived'> = {
    bulkQuoteId: idOf(message),
    requesterFspId,
    ...destinationOf(message),
    version,
  }
  const options = { relay: relayOf('GET', message), ...traceOf(message) }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'BulkQuoteQueryReceived', payload, options),
  }
}

function answer(message: Incoming, largeBodies: LargeBodies): ReadResult {
  return digestReading(largeBodies, 'PUT /bulkQuotes/{ID}', message, (digested) => {
    const payload: Payload<'BulkQuoteResponseReceived'> = {
      bulkQuoteId: idOf(message),
      ...digested,
    }
    const options = { relay: relayOf('PUT', message), ...traceOf(message) }
    return {
      type: 'PUBLISH',
      event: newEvent('fspiop-api', 'BulkQuoteResponseReceived', payload, options),
    }
  })
}

function refuse(message: Incoming): ReadResult {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const payload: Payload<'BulkQuoteRejectReceived'> = {
    bulkQuoteId: idOf(message),
    requesterFspId: message.source,
    ...destinationOf(message),
    errorInformation: errorInformationOf(reading.value.errorInformation),
    payloadHash: payloadHash(reading.json),
    version: message.version,
  }
  const options = { relay: relayOf('PUT', message), ...traceOf(message) }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'BulkQuoteRejectReceived', payload, options),
  }
}
