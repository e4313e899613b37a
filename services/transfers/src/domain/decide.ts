/**
 * What a message means for the transfer that is stored under its id. The rule is the same for every
 * kind of message: the same event again is a redelivery and is not answered; another event is a client's
 * duplicate, to be ignored while the transfer is in flight and answered once it is final; other
 * content under the same id is refused; and who is not party to the transfer learns nothing of it.
 */
import { fulfils, type ErrorInformation, type ExtensionList } from '@causeway/fspiop'
import type { LegRole } from '@causeway/protos'
import {
  refusal,
  shownOf,
  silence,
  type TransferAnswer,
  type Notice,
  type Silence,
} from './answer.ts'
import { isOpen, type Claimed, type Final, type Terms, type Transfer } from './transfer.ts'

/** A payer FSP's POST /transfers, allocated. */
export interface Prepare extends Pick<Terms, 'transferId' | 'payerFsp'> {
  readonly eventId: string
  readonly payloadHash: string
}

/** What PUT /transfers/{id} and PUT /transfers/{id}/error have in common. */
interface PayeeMessage {
  readonly eventId: string
  readonly transferId: string
  readonly requesterFspId: string
  readonly destinationFspId?: string | undefined
  readonly payloadHash: string
  readonly receivedAt: string
  readonly version: string
}

export interface Fulfil extends PayeeMessage {
  readonly kind: 'FULFIL'
  readonly transferState: 'COMMITTED' | 'RESERVED'
  readonly fulfilment?: string | undefined
  readonly completedTimestamp?: string | undefined
  /** True for RESERVED. */
  readonly notifyPayee: boolean
  readonly extensionList?: ExtensionList | undefined
}

export interface Reject extends PayeeMessage {
  readonly kind: 'REJECT'
  readonly errorInformation: ErrorInformation
}

/** Reserve first: the claim is stored, but the ledger's answer to it is not. */
export interface Continue {
  readonly type: 'continue'
}

export type PrepareDecision =
  | Continue
  | Silence
  | TransferAnswer
  /** The id was used for another request, or by another FSP. */
  | { readonly type: 'refuse' }

export type PayeeDecision =
  | Continue
  | Silence
  | TransferAnswer
  | { readonly type: 'post' }
  | { readonly type: 'release'; readonly reason: ReleaseReason }
  /** The payee FSP refuses a transfer that is committed: no FSP is notified, an operator must look. */
  | { readonly type: 'alarm' }

export type ReleaseReason = 'INVALID_FULFILMENT' | 'MISDIRECTED_FULFIL' | 'REJECTED'

export interface PayeeRules {
  /** A fulfil from the wrong FSP, or for the wrong one, aborts the transfer. */
  readonly misdirectedAborts: boolean
}

/** A prepare whose id is stored already. */
export function decidePrepare(transfer: Transfer, prepare: Prepare): PrepareDecision {
  if (transfer.prepareEventId === prepare.eventId) {
    return transfer.state === 'RECEIVED' ? { type: 'continue' } : silence
  }
  if (transfer.payerFsp !== prepare.payerFsp || transfer.requestHash !== prepare.payloadHash) {
    return { type: 'refuse' }
  }
  switch (transfer.state) {
    case 'RECEIVED':
      return { type: 'continue' }
    case 'RESERVED':
      return silence
    case 'COMMITTED':
    case 'ABORTED':
      return stored(transfer, 'PAYER', ['PUT'])
  }
}

export function decideFulfil(
  transfer: Transfer | undefined,
  fulfil: Fulfil,
  { misdirectedAborts }: PayeeRules,
): PayeeDecision {
  if (transfer === undefined) return refusal('REQUESTER', 'ID_UNKNOWN')
  const wrong = misdirected(transfer, fulfil)
  if (transfer.bulkTransferId !== undefined) return wrong ?? refusal('PAYEE', 'PART_OF_BULK')
  if (wrong !== undefined) {
    return misdirectedAborts ? decideMisdirected(transfer, fulfil, wrong) : wrong
  }
  if (fulfil.transferState === 'RESERVED' && fulfil.version === '1.0') {
    return refusal('PAYEE', 'RESERVED_IN_VERSION_1_0')
  }
  if (!isOpen(transfer)) return decideEnded(transfer, fulfil)
  if (transfer.state === 'RECEIVED') return { type: 'continue' }
  return fulfil.fulfilment !== undefined && fulfils(fulfil.fulfilment, transfer.condition)
    ? { type: 'post' }
    : { type: 'release', reason: 'INVALID_FULFILMENT' }
}

/** The payee FSP learns of the abort by its announcement; any other sender gets an error as well. */
function decideMisdirected(
  transfer: Transfer,
  fulfil: Fulfil,
  wrong: TransferAnswer,
): PayeeDecision {
  if (isOpen(transfer)) {
    return transfer.state === 'RECEIVED'
      ? { type: 'continue' }
      : { type: 'release', reason: 'MISDIRECTED_FULFIL' }
  }
  const isAnswered =
    transfer.outcomeEventId === fulfil.eventId && fulfil.requesterFspId === transfer.payeeFsp
  return isAnswered ? silence : wrong
}

export function decideReject(transfer: Transfer | undefined, reject: Reject): PayeeDecision {
  if (transfer === undefined) return refusal('REQUESTER', 'ID_UNKNOWN')
  const wrong = misdirected(transfer, reject)
  if (wrong !== undefined) return wrong
  if (transfer.bulkTransferId !== undefined) return refusal('PAYEE', 'PART_OF_BULK')
  if (!isOpen(transfer)) {
    return transfer.state === 'COMMITTED' ? { type: 'alarm' } : decideEnded(transfer, reject)
  }
  return transfer.state === 'RECEIVED'
    ? { type: 'continue' }
    : { type: 'release', reason: 'REJECTED' }
}

/** The answer to a message for a transfer that is already final. */
function decideEnded(
  transfer: Claimed & Final,
  message: Fulfil | Reject,
): TransferAnswer | Silence {
  if (transfer.outcomeEventId === message.eventId) return silence
  const asksReserved = message.kind === 'FULFIL' && message.notifyPayee
  if (transfer.outcomeHash === undefined) {
    return {
      type: 'answer',
      legRole: 'PAYEE',
      notices: asksReserved ? ['ERROR', 'PATCH'] : ['ERROR'],
      shows: shownOf(transfer),
      error: hasExpired(transfer) ? 'TOO_LATE' : 'NOT_RESERVED',
    }
  }
  if (transfer.outcomeHash !== message.payloadHash) return refusal('PAYEE', 'CONTENT_MODIFIED')
  return stored(transfer, 'PAYEE', asksReserved ? ['PATCH'] : ['PUT'])
}

export function decideQuery(transfer: Transfer, requesterFspId: string): TransferAnswer {
  const legRole = roleOf(transfer, requesterFspId)
  return legRole === 'REQUESTER'
    ? refusal(legRole, 'ASKER_NOT_PARTY')
    : { type: 'answer', legRole, notices: ['PUT'], shows: shownOf(transfer), error: undefined }
}

/** A funds or settlement movement in the ledger: GET /transfers/{id} answers for it as well. */
export interface LedgerMovement {
  readonly outcome: 'RESERVED' | 'POSTED' | 'VOIDED' | 'REFUSED'
  /** The participants whose accounts it moves: no other FSP learns of it. */
  readonly participants: readonly string[]
  /** undefined while it is reserved. */
  readonly completedAt: string | undefined
}

const movementStates = {
  RESERVED: 'RESERVED',
  POSTED: 'COMMITTED',
  VOIDED: 'ABORTED',
  REFUSED: 'ABORTED',
} as const satisfies Record<LedgerMovement['outcome'], Transfer['state']>

/** A question for an id that transfers does not know. */
export function decideMovementQuery(
  movement: LedgerMovement | undefined,
  requesterFspId: string,
): TransferAnswer {
  if (movement === undefined) return refusal('REQUESTER', 'ID_UNKNOWN')
  if (!movement.participants.includes(requesterFspId)) {
    return refusal('REQUESTER', 'ASKER_NOT_PARTY')
  }
  const { completedAt } = movement
  return {
    type: 'answer',
    legRole: 'REQUESTER',
    notices: ['PUT'],
    shows: {
      transferState: movementStates[movement.outcome],
      ...(completedAt === undefined ? {} : { completedTimestamp: completedAt }),
    },
    error: undefined,
  }
}

/** A payee's message must come from the payee and be for the payer; else the transfer is untouched. */
function misdirected(transfer: Transfer, message: PayeeMessage): TransferAnswer | undefined {
  if (message.requesterFspId !== transfer.payeeFsp) return refusal('REQUESTER', 'SENDER_NOT_PAYEE')
  const { destinationFspId: destination } = message
  if (destination !== undefined && destination !== transfer.payerFsp) {
    return refusal('PAYEE', 'DESTINATION_NOT_PAYER')
  }
  return undefined
}

/** The stored result again; an aborted transfer is answered with an error unless a PATCH is awaited. */
function stored(
  transfer: Claimed & Final,
  legRole: LegRole,
  whenCommitted: readonly ('PUT' | 'PATCH')[],
): TransferAnswer {
  const shows = shownOf(transfer)
  const notices: readonly Notice[] =
    transfer.state === 'COMMITTED' || whenCommitted.includes('PATCH') ? whenCommitted : ['ERROR']
  const error =
    transfer.state === 'ABORTED' && notices.includes('ERROR') ? transfer.error : undefined
  return { type: 'answer', legRole, notices, shows, error }
}

function hasExpired(transfer: Final): boolean {
  return (
    transfer.state === 'ABORTED' && (transfer.reason === 'TIMEOUT' || transfer.reason === 'EXPIRED')
  )
}

function roleOf(transfer: Terms, fspId: string): LegRole {
  if (fspId === transfer.payerFsp) return 'PAYER'
  return fspId === transfer.payeeFsp ? 'PAYEE' : 'REQUESTER'
}
