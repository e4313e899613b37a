/**
 * Maps events of bulks to values of the domain, and decisions to announcements; each reason has its FSPIOP
 * error. A reason without an error does not compile.
 */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent, type Payload, type Relay } from '@causeway/events'
import {
  errorInformation,
  writeDateTime,
  type ErrorCode,
  type ErrorInformation,
} from '@causeway/fspiop'
import { formatAmount, parseAmount } from '@causeway/money'
import { errorOf, type Compatibility } from '../contract.ts'
import type { MovingAnswer } from '../domain/ledger-answer.ts'
import type { Claimed, Final, Open } from '../domain/transfer.ts'
import {
  wasAsked,
  type Bulk,
  type BulkRequest,
  type CommonReason,
  type BulkItem,
} from './domain/bulk.ts'
import type { BulkAnswer, BulkAnswerReason, BulkFulfil, BulkReject } from './domain/decide.ts'
import { withinBound } from './domain/extensions.ts'
import { resultsOf } from './domain/progress.ts'
import type { EndedBulk } from './store.ts'

export type BulkPrepareEvent = DomainEvent<'BulkTransferPrepareAccountsAllocated'>
export type BulkFulfilEvent = DomainEvent<'BulkTransferFulfilRequested'>
export type BulkRejectEvent = DomainEvent<'BulkTransferRejectRequested'>
export type BulkQueryEvent = DomainEvent<'BulkTransferQueryPassedOn'>
export type BulkEvent = BulkPrepareEvent | BulkFulfilEvent | BulkRejectEvent | BulkQueryEvent

type ErrorOf = readonly [code: ErrorCode, detail?: string]

const answerErrors = {
  ID_UNKNOWN: ['3210'],
  SENDER_NOT_PAYEE: ['3100', 'the sender is not the payee FSP of this bulk transfer'],
  DESTINATION_NOT_PAYER: ['3100', 'the destination is not the payer FSP of this bulk transfer'],
  CONTENT_MODIFIED: ['3106'],
  NOT_ACCEPTED: ['3100', 'the payee FSP has not been asked for this bulk transfer'],
  TOO_LATE: ['3303'],
  ASKER_NOT_PARTY: ['3000'],
} as const satisfies Record<BulkAnswerReason, ErrorOf>

/** Existing clients wait for these codes where a bulk has nothing that could be reserved. */
const commonErrors = {
  QUOTE_UNKNOWN: ['3209'],
  QUOTE_EXPIRED: ['3302'],
  PAYER_UNKNOWN: ['3202'],
  PAYEE_UNKNOWN: ['3203'],
  PAYER_INACTIVE: ['3202', 'the payer FSP or its account is not active'],
  PAYEE_INACTIVE: ['3203', 'the payee FSP or its account is not active'],
  PAYEE_UNREACHABLE: ['3201', 'the payee FSP has no address for bulk transfers'],
  EXPIRED: ['3303'],
} as const satisfies Record<CommonReason, ErrorOf>

type NamedFsps = Pick<Bulk, 'payerFsp' | 'payeeFsp'>

/** Texts that existing clients compare, with Mojaloop compatibility. */
const mojaloopDetails: Readonly<Partial<Record<CommonReason, (fsps: NamedFsps) => string>>> = {
  PAYER_UNKNOWN: ({ payerFsp }) => `Participant ${payerFsp} not found`,
  PAYEE_UNKNOWN: ({ payeeFsp }) => `Participant ${payeeFsp} not found`,
  PAYER_INACTIVE: ({ payerFsp }) => `Participant ${payerFsp} is inactive`,
  PAYEE_INACTIVE: ({ payeeFsp }) => `Participant ${payeeFsp} is inactive`,
}

/** Of an item whose id another transfer has, or an item before it, and of a bulk with a used id. */
function idUsed(compatibility: Compatibility): ErrorInformation {
  return compatibility === 'mojaloop' ? errorInformation('3106') : errorOf('MISMATCH')
}

interface Rules {
  readonly compatibility: Compatibility
}

export function requestOf({ id, payload }: BulkPrepareEvent): BulkRequest {
  return {
    bulkTransferId: payload.bulkTransferId,
    bulkQuoteId: payload.bulkQuoteId,
    payerFsp: payload.payerFsp,
    payeeFsp: payload.payeeFsp,
    expiresAt: writeDateTime(Date.parse(payload.expiration)),
    requestHash: payload.payloadHash,
    payerVersion: payload.version,
    prepareEventId: id,
    receivedAt: payload.receivedAt,
    transferIds: payload.individualTransfers.map(({ transferId }) => transferId),
  }
}

/** One transfer for each id, the first of its items. Throws when the edge let a wrong amount through. */
export function transfersOf(event: BulkPrepareEvent, request: BulkRequest): (Claimed & Open)[] {
  const { allocations, individualTransfers } = event.payload
  const allocationOf = new Map(
    allocations.map(({ currency, settlementModelId, settles }) => [
      currency,
      { settlementModelId, settles },
    ]),
  )
  const { bulkTransferId, payerFsp, payeeFsp, expiresAt, requestHash } = request
  const { payerVersion, prepareEventId, receivedAt } = request
  const transfers = new Map<string, Claimed & Open>()
  for (const { transferId, amount, condition } of individualTransfers) {
    if (transfers.has(transferId)) continue
    const units = parseAmount(amount.amount)
    if (units === undefined) throw new Error(`${transferId} has no amount`)
    transfers.set(transferId, {
      state: 'RECEIVED',
      transferId,
      payerFsp,
      payeeFsp,
      amount: units,
      currency: amount.currency,
      expiresAt,
      condition,
      requestHash,
      allocation: allocationOf.get(amount.currency),
      payerVersion,
      prepareEventId,
      receivedAt,
      bulkTransferId,
    })
  }
  return [...transfers.values()]
}

export function answerMessageOf(event: BulkFulfilEvent | BulkRejectEvent): BulkFulfil | BulkReject {
  if (event.name === 'BulkTransferRejectRequested') {
    return { kind: 'REJECT', eventId: event.id, ...event.payload }
  }
  const { individualTransferResults: results, ...payload } = event.payload
  return { kind: 'FULFIL', eventId: event.id, results, ...payload }
}

/** The request for the payee FSP, with the payer FSP's message. */
export function preparedBulk(
  { bulkTransferId, payerFsp, payeeFsp, expiresAt, payerVersion, leftOut = [] }: Bulk,
  relay: Relay | undefined,
  { now, traceparent }: { readonly now: Date; readonly traceparent: string | undefined },
): OutgoingMessage {
  const payload: Payload<'BulkTransferPrepared'> = {
    bulkTransferId,
    payerFsp,
    payeeFsp,
    expiration: expiresAt,
    preparedAt: now.toISOString(),
    version: payerVersion,
    leftOut,
  }
  return newEvent('transfers', 'BulkTransferPrepared', payload, { relay, traceparent })
}

/** The id was used before with other content, or by another payer FSP. */
export function modifiedBulk(
  { compatibility }: Rules,
  { id, payload, traceparent }: BulkPrepareEvent,
): OutgoingMessage {
  const name = 'BulkTransferPrepareRefused'
  const { bulkTransferId, payerFsp: requesterFspId, version } = payload
  const refusal: Payload<typeof name> = {
    bulkTransferId,
    requesterFspId,
    version,
    errorInformation: idUsed(compatibility),
  }
  return newEvent('transfers', name, refusal, { id: derivedId(id, name), traceparent })
}

/** The end of a bulk, announced to both FSPs. */
export function endedBulk(
  { bulk, items }: EndedBulk,
  traceparent: string | undefined,
  compatibility: Compatibility,
): OutgoingMessage {
  const { bulkTransferId, payerFsp, payeeFsp, payerVersion, end } = bulk
  if (end === undefined)
    throw new Error(`the bulk ${bulkTransferId} is reported as ended, but is open`)
  const payload: Payload<'BulkTransferCompleted'> = {
    bulkTransferId,
    payerFsp,
    payeeFsp,
    payerVersion,
    completedTimestamp: end.completedTimestamp,
    individualTransferResults: resultsOf(items, withoutTransfer(bulk, compatibility)),
    ...payeeNoticeOf(bulk),
  }
  if (end.state === 'COMPLETED') {
    return newEvent('transfers', 'BulkTransferCompleted', payload, { traceparent })
  }
  const error = errorOfBulk(bulk, compatibility)
  const rejected = error === undefined ? payload : { ...payload, errorInformation: error }
  return newEvent('transfers', 'BulkTransferRejected', rejected, { traceparent })
}

/** A payee FSP that refused the bulk needs no notice. One that has not answered gets it in the payer FSP's version. */
function payeeNoticeOf({
  leftOut,
  lastWord,
  end,
  payerVersion,
}: Bulk): Pick<Payload<'BulkTransferCompleted'>, 'payee'> {
  const knows = lastWord?.refuses === true && end?.state === 'REJECTED'
  if (leftOut === undefined || knows) return {}
  const version = lastWord?.version ?? payerVersion
  return { payee: { version, hasSpoken: lastWord !== undefined, leftOut } }
}

/** Of a rejected bulk as a whole; undefined: each item has its own. */
function errorOfBulk(bulk: Bulk, compatibility: Compatibility): ErrorInformation | undefined {
  const { end, lastWord } = bulk
  if (end?.state !== 'REJECTED') return undefined
  if (end.reason === undefined) return lastWord?.error
  const [code, detail]: ErrorOf = commonErrors[end.reason]
  const other = compatibility === 'mojaloop' ? mojaloopDetails[end.reason]?.(bulk) : undefined
  return errorInformation(code, other ?? detail)
}

/** Of an item without a transfer: its id is used, unless nothing was claimed at all. */
function withoutTransfer(bulk: Bulk, compatibility: Compatibility): ErrorInformation {
  const error = bulk.end?.reason === undefined ? undefined : errorOfBulk(bulk, compatibility)
  return error ?? idUsed(compatibility)
}

/** An item that a transaction has ended, and the answer of the ledger. */
export interface EndedItem {
  readonly transfer: Claimed & Final
  readonly answer: MovingAnswer
}

/** The items of one bulk that one transaction has ended. */
export function endedItems(
  items: readonly [EndedItem, ...EndedItem[]],
  now: string,
  traceparent: string | undefined,
): OutgoingMessage {
  const { bulkTransferId = '', payerFsp, payeeFsp, receivedAt } = items[0].transfer
  const payload: Payload<'BulkTransferItemsEnded'> = {
    bulkTransferId,
    payerFsp,
    payeeFsp,
    receivedAt,
    endedAt: now,
    items: [...withinBound(items.map(endedItem))],
  }
  return newEvent('transfers', 'BulkTransferItemsEnded', payload, { traceparent })
}

function endedItem({
  transfer,
  answer,
}: EndedItem): Payload<'BulkTransferItemsEnded'>['items'][number] {
  const { transferId, payerFsp, payeeFsp, currency, completedTimestamp } = transfer
  const item = {
    transferId,
    amount: { amount: formatAmount(transfer.amount), currency },
    completedTimestamp,
  }
  if (transfer.state === 'ABORTED') return { ...item, errorInformation: transfer.error }
  if (answer.outcome !== 'POSTED') throw new Error(`${transferId} is committed, but not posted`)
  const { settlementModelId, settles, windowId, positions } = answer
  const accountOf = (fsp: string) =>
    positions.find(({ participantId }) => participantId === fsp)?.accountId
  const [payerAccountId, payeeAccountId] = [accountOf(payerFsp), accountOf(payeeFsp)]
  return {
    ...item,
    committed: {
      settlementModelId,
      settles,
      ...(windowId === undefined ? {} : { settlementWindowId: windowId }),
      ...(payerAccountId === undefined ? {} : { payerAccountId }),
      ...(payeeAccountId === undefined ? {} : { payeeAccountId }),
    },
  }
}

/** Answers carry an id made of the question's: asked again by a redelivery, they are the same. */
export function bulkAnswerTo(
  { compatibility }: Rules,
  event: BulkEvent,
  { legRole, error }: BulkAnswer,
  shown: BulkShown | undefined,
): OutgoingMessage {
  const { payload, traceparent } = event
  const name = 'BulkTransferQueryResponse'
  const whole =
    shown === undefined || legRole === 'PAYEE' ? undefined : errorOfBulk(shown.bulk, compatibility)
  const response: Payload<typeof name> = {
    bulkTransferId: payload.bulkTransferId,
    requesterFspId: 'payerFsp' in payload ? payload.payerFsp : payload.requesterFspId,
    version: payload.version,
    legRole,
    ...(error === undefined
      ? shownAs({ compatibility }, shown, legRole, event.name, whole)
      : { errorInformation: answerErrorOf(error) }),
  }
  return newEvent('transfers', name, response, { id: derivedId(event.id, name), traceparent })
}

/** What is shown of a bulk; its items where it is final. */
export interface BulkShown {
  readonly bulk: Bulk
  readonly items: readonly BulkItem[]
}

/** A repeated POST gets the answer of the first one, also an error of the whole bulk. A GET gets the state. */
function shownAs(
  { compatibility }: Rules,
  shown: BulkShown | undefined,
  legRole: BulkAnswer['legRole'],
  asked: BulkEvent['name'],
  error: ErrorInformation | undefined,
): Partial<Payload<'BulkTransferQueryResponse'>> {
  if (shown === undefined) throw new Error('an answer without error shows nothing')
  const { bulk, items } = shown
  if (asked === 'BulkTransferPrepareAccountsAllocated' && error !== undefined) {
    return { errorInformation: error }
  }
  if (bulk.end === undefined) return { bulkTransferState: bulk.state }
  const concerned = legRole === 'PAYEE' ? items.filter((item) => wasAsked(bulk, item)) : items
  return {
    bulkTransferState: bulk.state,
    completedTimestamp: bulk.end.completedTimestamp,
    individualTransferResults: resultsOf(concerned, withoutTransfer(bulk, compatibility)),
  }
}

function answerErrorOf(reason: BulkAnswerReason): ErrorInformation {
  const [code, detail]: ErrorOf = answerErrors[reason]
  return errorInformation(code, detail)
}
