/** The requests on /bulkTransfers, and the event of each. FSPIOP 6.10. */
import { newEvent, type Payload } from '@causeway/events'
import { errorBody, errorInformation, payloadHash, type ErrorCode } from '@causeway/fspiop'
import type { Participants } from '@causeway/participants'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { destinationOf, errorInformationOf } from '../contract.ts'
import { digestReading, type LargeBodies } from '../bodies/large-bodies.ts'
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
import {
  isOutOfBounds,
  reasonAgainstPrepare,
  type PrepareReason,
  type TimestampBounds,
} from '../transfers/domain/rules.ts'
import type { Arrivals } from './arrivals.ts'

export interface BulkTransferRules {
  readonly largeBodies: LargeBodies
  readonly arrivals: Arrivals
  readonly onUsAllowed: boolean
  readonly timestampBounds: TimestampBounds
  /**
   * Set where the FSPs of a request are refused by the error callback, an inactive payer FSP too;
   * undefined: at once.
   */
  readonly refusesLater: Pick<Participants, 'getFresh'> | undefined
}

export function bulkTransferRoutes(rules: BulkTransferRules): ServedRoutes {
  const begins = { needsActiveSource: true, isOfBulkTransfer: true } as const
  const finishes = {
    needsActiveSource: false,
    priority: 'COMPLETION',
    confirmsTime: true,
    weight: 'BODY',
    isOfBulkTransfer: true,
  } as const
  return {
    'POST /bulkTransfers': {
      ...begins,
      needsActiveSource: rules.refusesLater === undefined,
      priority: 'TRANSFER',
      weight: 'BODY',
      read: (message) => prepare(message, rules),
    },
    'GET /bulkTransfers/{ID}': {
      ...begins,
      priority: 'LOOKUP',
      weight: 'LARGEST_BULK',
      read: query,
    },
    'PUT /bulkTransfers/{ID}': { ...finishes, read: (message) => fulfil(message, rules) },
    'PUT /bulkTransfers/{ID}/error': {
      ...finishes,
      body_bytes_max: answer_bytes_max,
      read: reject,
    },
  }
}

function prepare(message: Incoming, rules: BulkTransferRules): ReadResult {
  return digestReading(rules.largeBodies, 'POST /bulkTransfers', message, (payload) => {
    const fault = faultOf(message, payload, rules)
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
  message: Incoming,
  payload: Payload<'BulkTransferPrepareRequested'>,
  { onUsAllowed, refusesLater }: BulkTransferRules,
): ReadResult | undefined {
  const { source, destination } = message
  const { payerFsp, payeeFsp, individualTransfers } = payload
  for (const { transferId, amount, condition } of individualTransfers) {
    const facts = { source, destination, payerFsp, payeeFsp, amount: amount.amount, condition }
    const reason = reasonAgainstPrepare(facts, { onUsAllowed })
    if (reason === undefined) continue
    if (reason !== 'AMOUNT_ZERO' && reason !== 'CONDITION_NOT_32_BYTES') {
      return refusesLater === undefined
        ? against(reason)
        : refusedFsps(message, payload, reason, refusesLater)
    }
    const refusal = refuse(reason)
    const detail = [refusal.detail, `transfer ${transferId}`].filter((part) => part !== '')
    return { type: 'REFUSE', refusal: { ...refusal, detail: detail.join(', ') } }
  }
  return undefined
}

type FspReason = Exclude<PrepareReason, 'AMOUNT_ZERO' | 'CONDITION_NOT_32_BYTES'>

/** FSPs that do not fit together, in the words that existing clients compare. */
function refusedFsps(
  message: Incoming,
  { bulkTransferId, payeeFsp }: Payload<'BulkTransferPrepareRequested'>,
  reason: FspReason,
  participants: Pick<Participants, 'getFresh'>,
): ReadResult {
  const refusedWith = (code: ErrorCode, detail: string) =>
    refuseLater(message, 'bulkTransfers', bulkTransferId, errorInformation(code, detail))
  const { code, detail } = refuse(reason)
  if (reason === 'SOURCE_NOT_PAYER') {
    return refusedWith(code, 'FSPIOP-Source header should match Payer FSP')
  }
  if (reason === 'PAYER_IS_PAYEE') return refusedWith(code, detail)
  const reading = async () => {
    for (const name of [payeeFsp, message.destination ?? payeeFsp]) {
      const participant = await participants.getFresh(name)
      if (participant === undefined) return refusedWith('3203', `Participant ${name} not found`)
    }
    return refusedWith(code, detail)
  }
  return {
    type: 'LATER',
    reading: () => reading().catch(() => against('PARTICIPANTS_UNAVAILABLE')),
  }
}

function query(message: Incoming): ReadResult {
  const { source: requesterFspId, version } = message
  const payload = { bulkTransferId: idOf(message), requesterFspId, version }
  return {
    type: 'PUBLISH',
    event: newEvent('fspiop-api', 'BulkTransferQueryReceived', payload, traceOf(message)),
  }
}

/** A large one waits for its turn to be read, so it is announced before. */
function fulfil(message: Incoming, rules: BulkTransferRules): ReadResult {
  if (!rules.largeBodies.isLarge(message.body)) return readFulfil(message, rules)
  return {
    type: 'LATER',
    async reading() {
      const { source: payeeFsp, receivedAt } = message
      const arrival = { bulkTransferId: idOf(message), payeeFsp, receivedAt }
      const awaited = await rules.arrivals.announce(arrival)
      if (awaited === 'BULK_UNKNOWN') return against('BULK_UNKNOWN')
      const read = readFulfil(message, rules)
      const reading = read.type === 'LATER' ? await read.reading() : read
      return reading.type === 'PUBLISH' && awaited !== undefined
        ? { ...reading, inTimeUntil_ms: awaited }
        : reading
    },
  }
}

function readFulfil(
  message: Incoming,
  { largeBodies, timestampBounds }: BulkTransferRules,
): ReadResult {
  return digestReading(largeBodies, 'PUT /bulkTransfers/{ID}', message, (digested) => {
    const { completedTimestamp, receivedAt } = digested
    if (isOutOfBounds(completedTimestamp, receivedAt, timestampBounds)) {
      return against('COMPLETED_TIMESTAMP_OUT_OF_BOUNDS')
    }
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

function reject(message: Incoming): ReadResult {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const payload: Payload<'BulkTransferRejectRequested'> = {
    bulkTransferId: idOf(message),
    requesterFspId: message.source,
    ...destinationOf(message),
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
