/**
 * Between the events on the bus and the domain: what comes in becomes values, decisions become
 * announcements, and each reason has its FSPIOP error. A reason without an error does not compile.
 */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent, type Payload, type Relay } from '@causeway/events'
import {
  causeOf,
  errorInformation,
  writeDateTime,
  type ErrorCode,
  type ErrorInformation,
} from '@causeway/fspiop'
import { formatAmount, parseAmount } from '@causeway/money'
import type { AbortReason } from '@causeway/protos'
import type { TransferAnswer, AnswerReason, Shown } from './domain/answer.ts'
import type { Fulfil, Prepare, Reject } from './domain/decide.ts'
import {
  isEndedBy,
  type Announcement,
  type MovingAnswer,
  type Position,
} from './domain/ledger-answer.ts'
import {
  type Aborted,
  type Allocation,
  type Claimed,
  type Committed,
  type Final,
  type Open,
} from './domain/transfer.ts'

export type PrepareEvent = DomainEvent<'TransferPrepareAccountsAllocated'>
export type FulfilEvent = DomainEvent<'TransferFulfilCommittedRequested'>
export type RejectEvent = DomainEvent<'TransferRejectRequested'>
export type QueryEvent = DomainEvent<'TransferQueryPassedOn'>

type ErrorOf = readonly [code: ErrorCode, detail?: string]

const abortErrors = {
  PAYER_UNKNOWN: ['3202'],
  PAYEE_UNKNOWN: ['3203'],
  PAYER_INACTIVE: ['3100', 'the payer FSP or its account is not active'],
  PAYEE_INACTIVE: ['3100', 'the payee FSP or its account is not active'],
  PAYER_NO_ACCOUNT: ['3100', 'the payer FSP has no account in this currency'],
  PAYEE_NO_ACCOUNT: ['3100', 'the payee FSP has no account in this currency'],
  PAYEE_UNREACHABLE: ['3201', 'the payee FSP has no address for transfers'],
  EXPIRED: ['3303'],
  COVER_SHORT: ['4001'],
  CAP_SHORT: ['4200', 'the net debit cap is reached'],
  TIMEOUT: ['3303'],
  REJECTED: ['5105'],
  INVALID_FULFILMENT: ['3100', 'invalid fulfilment'],
  MISDIRECTED_FULFIL: ['3100', 'the fulfil is not from the payee FSP to the payer FSP'],
  NO_SETTLEMENT_MODEL: ['3100', 'no settlement model serves this currency'],
  MISMATCH: ['3106', 'the id was used before'],
} as const satisfies Record<AbortReason, ErrorOf>

const answerErrors = {
  ID_UNKNOWN: ['3208'],
  SENDER_NOT_PAYEE: ['3100', 'the sender is not the payee FSP of this transfer'],
  DESTINATION_NOT_PAYER: ['3100', 'the destination is not the payer FSP of this transfer'],
  RESERVED_IN_VERSION_1_0: ['3100', 'RESERVED needs version 1.1'],
  // Existing clients compare this text word for word.
  CONTENT_MODIFIED: ['3106'],
  TOO_LATE: ['3303'],
  NOT_RESERVED: ['3100', 'the transfer is not reserved'],
  ASKER_NOT_PARTY: ['3000'],
  PART_OF_BULK: ['3100', 'the transfer is part of a bulk transfer'],
} as const satisfies Record<AnswerReason, ErrorOf>

export type Compatibility = 'specification' | 'mojaloop'

export function errorOf(reason: AbortReason): ErrorInformation {
  const [code, detail]: ErrorOf = abortErrors[reason]
  return errorInformation(code, detail)
}

type Parties = Pick<Claimed, 'payerFsp' | 'payeeFsp' | 'currency' | 'bulkTransferId'>

/** With Mojaloop compatibility: where existing clients wait for another code, or compare the text. */
export function mojaloopErrorOf(reason: AbortReason, transfer: Parties): ErrorInformation {
  const { payerFsp, payeeFsp, currency, bulkTransferId } = transfer
  if (reason === 'PAYEE_UNKNOWN') return errorInformation('3100', 'the payee FSP is unknown')
  if (bulkTransferId === undefined) return errorOf(reason)
  // An FSP that is inactive itself is the reason of the whole bulk.
  switch (reason) {
    case 'PAYER_INACTIVE':
      return errorInformation('3100', `Participant ${payerFsp} ${currency} account is inactive`)
    case 'PAYEE_INACTIVE':
      return errorInformation('3100', `Participant ${payeeFsp} ${currency} account is inactive`)
    default:
      return errorOf(reason)
  }
}

function answerErrorOf(reason: AnswerReason): ErrorInformation {
  const [code, detail]: ErrorOf = answerErrors[reason]
  return errorInformation(code, detail)
}

/** The transfer that a prepare asks for. Throws when the edge let a wrong amount through. */
export function claimedBy({ id, payload }: PrepareEvent): Claimed & Open {
  const amount = parseAmount(payload.amount.amount)
  if (amount === undefined) throw new Error(`${payload.transferId} has no amount`)
  return {
    state: 'RECEIVED',
    transferId: payload.transferId,
    payerFsp: payload.payerFsp,
    payeeFsp: payload.payeeFsp,
    amount,
    currency: payload.amount.currency,
    expiresAt: writeDateTime(Date.parse(payload.expiration)),
    condition: payload.condition,
    requestHash: payload.payloadHash,
    allocation: allocationOf(payload),
    payerVersion: payload.version,
    prepareEventId: id,
    receivedAt: payload.receivedAt,
    bulkTransferId: undefined,
  }
}

function allocationOf({
  settlementModelId,
  settles,
}: PrepareEvent['payload']): Allocation | undefined {
  return settlementModelId === undefined || settles === undefined
    ? undefined
    : { settlementModelId, settles }
}

export function prepareOf({ id, payload }: PrepareEvent): Prepare {
  const { transferId, payerFsp, payloadHash } = payload
  return { eventId: id, transferId, payerFsp, payloadHash }
}

export function payeeMessageOf(event: FulfilEvent | RejectEvent): Fulfil | Reject {
  return event.name === 'TransferRejectRequested'
    ? { kind: 'REJECT', eventId: event.id, ...event.payload }
    : { kind: 'FULFIL', eventId: event.id, ...event.payload }
}

/** A transfer that was just moved, and all that its announcement may need. */
export interface Moved {
  readonly transfer: Claimed & (Open | Final)
  readonly announces: Announcement
  readonly answer: MovingAnswer
  /** The message at hand: the payer's request where it made the reservation, else the payee's. */
  readonly message: Fulfil | Reject | undefined
  readonly relay: Relay | undefined
  readonly traceparent: string | undefined
  readonly now: string
}

/** The event of a move. It carries the FSP's own bytes where they are the message to relay. */
export function announcementOf(moved: Moved): OutgoingMessage {
  const { announces, transfer, traceparent } = moved
  switch (announces) {
    case 'TransferPrepared': {
      const { relay } = moved
      return newEvent('transfers', announces, prepared(moved), { relay, traceparent })
    }
    case 'TransferCommittedFulfiled':
      return newEvent('transfers', announces, committed(moved), {
        relay: relayOf(moved),
        traceparent,
      })
    case 'TransferRejectRequestProcessed':
      return newEvent('transfers', announces, rejected(moved), {
        relay: relayOf(moved),
        traceparent,
      })
    case 'TransferFulfilComitRequestTimedout': {
      return newEvent('transfers', announces, expiredReserved(moved), { traceparent })
    }
    case 'TransferPrepareRequestTimedout':
      return newEvent('transfers', announces, expired(moved), { traceparent })
    case 'TransferPrepareLiquidityCheckFailed': {
      const short = { ...refused(moved), amount: moneyOf(transfer), ...payerPosition(moved) }
      return newEvent('transfers', announces, short, { traceparent })
    }
    case 'TransferPrepareInvalidPayerCheckFailed':
    case 'TransferPrepareInvalidPayeeCheckFailed':
    case 'TransferPrepareDuplicateCheckFailed':
      return newEvent('transfers', announces, refused(moved), { traceparent })
  }
}

/** The payee FSP's own message is relayed when it states exactly what the hub announces. */
function relayOf({ transfer, message, relay }: Moved): Relay | undefined {
  if (message === undefined || !isEndedBy(transfer, message)) return undefined
  const says =
    message.kind === 'FULFIL'
      ? transfer.state === 'COMMITTED' && message.transferState === 'COMMITTED'
      : transfer.state === 'ABORTED' && transfer.reason === 'REJECTED'
  return says ? relay : undefined
}

function prepared({ transfer, answer, now }: Moved): Payload<'TransferPrepared'> {
  if (answer.outcome !== 'RESERVED') throw contradiction(transfer)
  const { transferId, payerFsp, payeeFsp, condition } = transfer
  return {
    transferId,
    payerFsp,
    payeeFsp,
    amount: moneyOf(transfer),
    expiration: transfer.expiresAt,
    condition,
    settlementModelId: answer.settlementModelId,
    preparedAt: now,
    payerPosition: answer.payerPosition,
  }
}

function committed({ transfer, answer, now }: Moved): Payload<'TransferCommittedFulfiled'> {
  if (transfer.state !== 'COMMITTED' || answer.outcome !== 'POSTED') throw contradiction(transfer)
  const { transferId, payerFsp, payeeFsp, payerVersion, fulfilment, completedTimestamp } = transfer
  const { evidence, settlementModelId, settles, windowId, positions } = answer
  return {
    transferId,
    payerFsp,
    payeeFsp,
    payerVersion,
    payeeVersion: evidence.version,
    amount: moneyOf(transfer),
    fulfilment,
    completedTimestamp,
    settlementModelId,
    settles,
    ...(windowId === undefined ? {} : { settlementWindowId: windowId }),
    notifyPayee: evidence.notifyPayee,
    receivedAt: transfer.receivedAt,
    fulfiledAt: now,
    positions,
    ...(evidence.extensionList === undefined ? {} : { extensionList: evidence.extensionList }),
  }
}

function rejected(moved: Moved): Payload<'TransferRejectRequestProcessed'> {
  const { transfer, answer } = moved
  if (answer.outcome !== 'VOIDED') throw contradiction(transfer)
  const { error, completedTimestamp, payeeVersion } = abortedOf(transfer)
  const { transferId, payerFsp, payeeFsp, payerVersion } = transfer
  const { evidence } = answer
  const payeeNotice =
    evidence?.kind === 'INVALID_FULFILMENT' ? (evidence.notifyPayee ? 'PATCH' : 'ERROR') : 'NONE'
  return {
    transferId,
    payerFsp,
    payeeFsp,
    payerVersion,
    ...(payeeVersion === undefined ? {} : { payeeVersion }),
    errorInformation: error,
    payeeNotice,
    completedTimestamp,
    ...payerPosition(moved),
    ending: endingOf(moved),
  }
}

/** For services that record how transfers ended. */
function endingOf({ transfer, now }: Moved) {
  const { payerFsp, payeeFsp, receivedAt } = transfer
  const { completedTimestamp } = abortedOf(transfer)
  const amount = moneyOf(transfer)
  return { payerFsp, payeeFsp, amount, completedTimestamp, receivedAt, endedAt: now }
}

function expired(moved: Moved): Payload<'TransferPrepareRequestTimedout'> {
  const { transferId, payerFsp, payerVersion } = moved.transfer
  const { error: errorInformation } = abortedOf(moved.transfer)
  return { transferId, payerFsp, payerVersion, errorInformation, ending: endingOf(moved) }
}

function expiredReserved(moved: Moved): Payload<'TransferFulfilComitRequestTimedout'> {
  const { transfer, answer } = moved
  const evidence = answer.outcome === 'VOIDED' ? answer.evidence : undefined
  const { completedTimestamp } = abortedOf(transfer)
  return {
    ...expired(moved),
    payeeFsp: transfer.payeeFsp,
    ...(evidence?.kind === 'FULFIL'
      ? {
          payeeAnswer: {
            version: evidence.version,
            notices: evidence.notifyPayee ? ['ERROR', 'PATCH'] : ['ERROR'],
            completedTimestamp,
          },
        }
      : {}),
    ...payerPosition(moved),
  }
}

function refused(moved: Moved): Payload<'TransferPrepareDuplicateCheckFailed'> {
  const { transferId, payerFsp, payerVersion } = moved.transfer
  const { error } = abortedOf(moved.transfer)
  return {
    transferId,
    requesterFspId: payerFsp,
    version: payerVersion,
    errorInformation: error,
    ending: endingOf(moved),
  }
}

/** Answers carry an id made of the question's: asked again by a redelivery, they are the same. */
export function answerTo(
  event: PrepareEvent | FulfilEvent | RejectEvent | QueryEvent,
  answer: TransferAnswer,
): OutgoingMessage {
  const { payload, traceparent } = event
  const { shows, error, legRole, notices } = answer
  const errorInformation = typeof error === 'string' ? answerErrorOf(error) : error
  const name = 'TransferQueryResponse'
  const response: Payload<typeof name> = {
    transferId: payload.transferId,
    requesterFspId: 'payerFsp' in payload ? payload.payerFsp : payload.requesterFspId,
    legRole,
    version: payload.version,
    notices,
    ...(shows === undefined ? {} : shownAs(shows)),
    ...(errorInformation === undefined ? {} : { errorInformation }),
  }
  return newEvent('transfers', name, response, { id: derivedId(event.id, name), traceparent })
}

/** The id was used before with other content, or by another payer FSP. */
export function modifiedRequest({ id, payload, traceparent }: PrepareEvent): OutgoingMessage {
  const name = 'TransferPrepareDuplicateCheckFailed'
  const { transferId, payerFsp, version } = payload
  const refusal: Payload<typeof name> = {
    transferId,
    requesterFspId: payerFsp,
    version,
    errorInformation: errorOf('MISMATCH'),
  }
  return newEvent('transfers', name, refusal, { id: derivedId(id, name), traceparent })
}

function shownAs({
  transferState,
  completedTimestamp,
  fulfilment,
  cause,
}: Shown): Partial<Payload<'TransferQueryResponse'>> {
  return {
    transferState,
    ...(completedTimestamp === undefined ? {} : { completedTimestamp }),
    ...(fulfilment === undefined ? {} : { fulfilment }),
    ...(cause === undefined
      ? {}
      : { extensionList: { extension: [{ key: 'cause', value: causeText(cause) }] } }),
  }
}

function causeText({ errorCode, errorDescription }: ErrorInformation): string {
  return causeOf({ errorCode, errorDescription })
}

function moneyOf({ amount, currency }: Claimed): Payload<'TransferPrepared'>['amount'] {
  return { amount: formatAmount(amount), currency }
}

function payerPosition({ answer }: Moved): { readonly payerPosition?: Position } {
  const position =
    answer.outcome === 'VOIDED' || answer.outcome === 'REFUSED' ? answer.payerPosition : undefined
  return position === undefined ? {} : { payerPosition: position }
}

function abortedOf(transfer: Claimed & (Open | Committed | Aborted)): Aborted {
  if (transfer.state !== 'ABORTED') throw contradiction(transfer)
  return transfer
}

function contradiction({ transferId }: Claimed): Error {
  return new Error(`${transferId} is to be announced as what it has not become`)
}
