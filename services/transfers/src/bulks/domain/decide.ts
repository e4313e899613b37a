/**
 * What a message means for the bulk that is stored under its id: the same rule as for a single transfer.
 * The same event again is a redelivery; another event with the same content is a client's duplicate,
 * ignored while the bulk is in flight and answered once it is final; other content is refused; and an FSP
 * that is not party to the bulk learns nothing of it.
 */
import { fulfils, type ErrorInformation, type ExtensionList } from '@causeway/fspiop'
import type { BulkTransferState, LegRole, RefusedMessageReason } from '@causeway/protos'
import type { Transfer } from '../../domain/transfer.ts'
import { askedIds, type Bulk, type BulkRequest } from './bulk.ts'

/** Why an FSP is answered with an error. */
export type BulkAnswerReason = Exclude<
  RefusedMessageReason,
  'NOT_RESERVED' | 'PART_OF_BULK' | 'RESERVED_IN_VERSION_1_0'
>

/** An answer to the sender alone; it changes nothing. */
export interface BulkAnswer {
  readonly type: 'answer'
  readonly legRole: LegRole
  /** undefined: the stored bulk is shown, as far as it concerns the role. */
  readonly error: BulkAnswerReason | undefined
}

export type BulkPrepareDecision =
  /** Items are undecided, or the request was not sent to the payee FSP: continue. */
  | { readonly type: 'continue' }
  | { readonly type: 'silence' }
  | BulkAnswer
  /** The id was used for something else, or by another FSP. */
  | { readonly type: 'refuse' }

/** A POST /bulkTransfers whose id is stored already. */
export function decideBulkPrepare(
  bulk: Bulk,
  asked: Pick<BulkRequest, 'payerFsp' | 'requestHash' | 'prepareEventId'>,
): BulkPrepareDecision {
  const isRedelivery = bulk.prepareEventId === asked.prepareEventId
  if (!isRedelivery) {
    const isSame = bulk.payerFsp === asked.payerFsp && bulk.requestHash === asked.requestHash
    if (!isSame) return { type: 'refuse' }
  }
  switch (bulk.state) {
    case 'RECEIVED':
    case 'PENDING':
      return { type: 'continue' }
    case 'ACCEPTED':
    case 'PROCESSING':
      return { type: 'silence' }
    case 'COMPLETED':
    case 'REJECTED':
      return isRedelivery
        ? { type: 'silence' }
        : { type: 'answer', legRole: 'PAYER', error: undefined }
  }
}

/** What PUT /bulkTransfers/{ID} and its /error have in common. */
interface PayeeMessage {
  readonly eventId: string
  readonly bulkTransferId: string
  readonly requesterFspId: string
  /** undefined: the sender leaves it to the hub to know for whom it is. */
  readonly destinationFspId?: string | undefined
  readonly payloadHash: string
  readonly receivedAt: string
  readonly version: string
}

export interface WireResult {
  readonly transferId: string
  readonly fulfilment?: string | undefined
  readonly errorInformation?: ErrorInformation | undefined
  readonly extensionList?: ExtensionList | undefined
}

export interface BulkFulfil extends PayeeMessage {
  readonly kind: 'FULFIL'
  readonly bulkTransferState: BulkTransferState
  readonly completedTimestamp?: string | undefined
  readonly results: readonly WireResult[]
}

export interface BulkReject extends PayeeMessage {
  readonly kind: 'REJECT'
  readonly errorInformation: ErrorInformation
}

export type BulkPayeeDecision =
  | { readonly type: 'silence' }
  | BulkAnswer
  /** Its items are to be posted and released; `isLast`: no other content is taken after it. */
  | { readonly type: 'take'; readonly isLast: boolean }

/** COMPLETED and REJECTED concern all items; any other state reports what is done so far. */
function isLastWord(message: BulkFulfil | BulkReject): boolean {
  if (message.kind === 'REJECT') return true
  const { bulkTransferState: state } = message
  return state === 'COMPLETED' || state === 'REJECTED'
}

/** Whether the message refuses the bulk as a whole. */
export function refusesAll(message: BulkFulfil | BulkReject): boolean {
  return message.kind === 'REJECT' || message.bulkTransferState === 'REJECTED'
}

export function decideBulkAnswer(
  bulk: Bulk | undefined,
  message: BulkFulfil | BulkReject,
): BulkPayeeDecision {
  if (bulk === undefined) return refusal('REQUESTER', 'ID_UNKNOWN')
  if (message.requesterFspId !== bulk.payeeFsp) return refusal('REQUESTER', 'SENDER_NOT_PAYEE')
  const { destinationFspId: destination } = message
  if (destination !== undefined && destination !== bulk.payerFsp) {
    return refusal('PAYEE', 'DESTINATION_NOT_PAYER')
  }
  if (bulk.leftOut === undefined) return refusal('PAYEE', 'NOT_ACCEPTED')
  const { lastWord } = bulk
  const isOwn = lastWord?.eventId === message.eventId
  if (bulk.end !== undefined) {
    if (isOwn) return { type: 'silence' }
    if (lastWord === undefined) return refusal('PAYEE', 'TOO_LATE')
    return lastWord.hash === message.payloadHash
      ? { type: 'answer', legRole: 'PAYEE', error: undefined }
      : refusal('PAYEE', 'CONTENT_MODIFIED')
  }
  if (lastWord === undefined) return { type: 'take', isLast: isLastWord(message) }
  if (lastWord.hash !== message.payloadHash) return refusal('PAYEE', 'CONTENT_MODIFIED')
  // The work on it may have stopped half way, and goes on with whichever of its copies comes next.
  return { type: 'take', isLast: true }
}

/**
 * The ids of the items that the message decides on, in the order of the request: of those that the payee
 * FSP was asked for all if it refuses the bulk, else those that it names.
 */
export function decidedIds(bulk: Bulk, message: BulkFulfil | BulkReject): readonly string[] {
  const asked = askedIds(bulk)
  if (message.kind === 'REJECT' || refusesAll(message)) return asked
  const named = new Set(message.results.map(({ transferId }) => transferId))
  return asked.filter((transferId) => named.has(transferId))
}

export function decideBulkQuery(
  bulk: Bulk | undefined,
  requesterFspId: string,
  keptRejectedSince: string,
): BulkAnswer {
  if (bulk === undefined) return refusal('REQUESTER', 'ID_UNKNOWN')
  const { payerFsp, payeeFsp, end } = bulk
  if (requesterFspId !== payerFsp && requesterFspId !== payeeFsp) {
    return refusal('REQUESTER', 'ASKER_NOT_PARTY')
  }
  const legRole = requesterFspId === payerFsp ? 'PAYER' : 'PAYEE'
  const isForgotten = end?.state === 'REJECTED' && end.completedTimestamp < keptRejectedSince
  // The payee FSP knows of no bulk that it was never asked for.
  const isUnknown = legRole === 'PAYEE' && bulk.leftOut === undefined
  return isForgotten || isUnknown
    ? refusal(legRole, 'ID_UNKNOWN')
    : { type: 'answer', legRole, error: undefined }
}

export type ItemDecision =
  | {
      readonly type: 'post'
      readonly fulfilment: string
      readonly extensionList?: ExtensionList | undefined
    }
  | {
      readonly type: 'release'
      readonly reason: 'REJECTED' | 'INVALID_FULFILMENT'
      /** undefined: the payee FSP gave none of its own. */
      readonly error: ErrorInformation | undefined
      readonly extensionList?: ExtensionList | undefined
    }

/** What the payee FSP's word for one item asks of the ledger. FSPIOP 6.10.4.1. */
export function decideItem(
  { condition }: Pick<Transfer, 'condition'>,
  { fulfilment, errorInformation, extensionList }: Omit<WireResult, 'transferId'>,
): ItemDecision {
  if (errorInformation !== undefined) {
    return { type: 'release', reason: 'REJECTED', error: errorInformation, extensionList }
  }
  return fulfilment !== undefined && fulfils(fulfilment, condition)
    ? { type: 'post', fulfilment, extensionList }
    : { type: 'release', reason: 'INVALID_FULFILMENT', error: undefined }
}

function refusal(legRole: LegRole, error: BulkAnswerReason): BulkAnswer {
  return { type: 'answer', legRole, error }
}
