/**
 * What the ledger can answer, and what a transfer becomes by it. The two columns of this table are the
 * only way in which a transfer changes its state: transfers follows the ledger, never the reverse.
 */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'
import type { AbortReason, ReserveRefusal, SettlementKind, VoidReason } from '@causeway/protos'
import type { Fulfil, Reject } from './decide.ts'
import type { OutcomeEvidence, FulfilEvidence, RejectEvidence } from './evidence.ts'
import type { Aborted, Claimed, Final, Open, OpenState } from './transfer.ts'

/** A POSITION account right after the step, as it goes into the announcement. */
export interface Position {
  readonly participantId: string
  readonly accountId: number
  readonly currency: string
  readonly value: string
  readonly reservedValue: string
  readonly limit?: string | undefined
  readonly liquidity?: string | undefined
  readonly changedAt: string
}

/** What is stored in the ledger for the id, or why nothing was stored or changed. */
export type LedgerAnswer =
  | {
      readonly outcome: 'RESERVED'
      readonly settlementModelId: number
      readonly payerPosition: Position
    }
  | {
      readonly outcome: 'POSTED'
      readonly evidence: FulfilEvidence
      readonly settlementModelId: number
      readonly settles: SettlementKind
      /** undefined when settled gross at once. */
      readonly windowId: number | undefined
      readonly positions: readonly Position[]
    }
  | {
      readonly outcome: 'VOIDED'
      readonly reason: VoidReason
      readonly evidence: OutcomeEvidence | undefined
      readonly payerPosition: Position | undefined
    }
  | {
      readonly outcome: 'REFUSED'
      readonly reason: ReserveRefusal
      readonly payerPosition: Position | undefined
    }
  | { readonly outcome: 'MISMATCH' }
  | { readonly outcome: 'UNKNOWN' }
  | { readonly outcome: 'TOO_EARLY'; readonly retry_ms: number }
  /** The ledger could not take the item, or gave an answer that makes no sense. */
  | { readonly outcome: 'FAULT'; readonly detail: string }
  /** The answer of a newer release: a later release of transfers understands it. */
  | { readonly outcome: 'NOT_UNDERSTOOD'; readonly detail: string }

/** The events that announce a state. */
export type Announcement =
  | 'TransferPrepared'
  | 'TransferCommittedFulfiled'
  | 'TransferRejectRequestProcessed'
  | 'TransferPrepareRequestTimedout'
  | 'TransferFulfilComitRequestTimedout'
  | 'TransferPrepareInvalidPayerCheckFailed'
  | 'TransferPrepareInvalidPayeeCheckFailed'
  | 'TransferPrepareLiquidityCheckFailed'
  | 'TransferPrepareDuplicateCheckFailed'

/** A cell of the table. */
export type Becomes =
  | {
      readonly type: 'moves'
      readonly announces: Announcement
      /** There when the move mends a contradiction, which is an alarm all the same. */
      readonly heals?: true
    }
  /** Nothing to do: the ledger and transfers agree. */
  | { readonly type: 'stays' }
  /** Not decided yet: the step before is to be done again. */
  | { readonly type: 'unfinished' }
  /** Asked too early: to be asked again at its time. */
  | { readonly type: 'waits' }
  /** Impossible if ledger and transfers are right: left as it is, with an alarm. */
  | { readonly type: 'alarm' }

/** A line of the table: what a transfer becomes, by the state in which it is found. */
export type Consequence = Readonly<Record<OpenState, Becomes>>

const stays: Becomes = { type: 'stays' }
const unfinished: Becomes = { type: 'unfinished' }
const waits: Becomes = { type: 'waits' }
const alarm: Becomes = { type: 'alarm' }

/** The error that each refusal of a reservation becomes. */
const refusalAnnouncements = {
  PAYER_UNKNOWN: 'TransferPrepareInvalidPayerCheckFailed',
  PAYER_INACTIVE: 'TransferPrepareInvalidPayerCheckFailed',
  PAYER_NO_ACCOUNT: 'TransferPrepareInvalidPayerCheckFailed',
  PAYEE_UNKNOWN: 'TransferPrepareInvalidPayeeCheckFailed',
  PAYEE_INACTIVE: 'TransferPrepareInvalidPayeeCheckFailed',
  PAYEE_NO_ACCOUNT: 'TransferPrepareInvalidPayeeCheckFailed',
  PAYEE_UNREACHABLE: 'TransferPrepareInvalidPayeeCheckFailed',
  EXPIRED: 'TransferPrepareRequestTimedout',
  COVER_SHORT: 'TransferPrepareLiquidityCheckFailed',
  CAP_SHORT: 'TransferPrepareLiquidityCheckFailed',
} as const satisfies Record<ReserveRefusal, Announcement>

/** The line of the table for an answer of the ledger. */
export function consequenceOf(answer: LedgerAnswer): Consequence {
  switch (answer.outcome) {
    case 'RESERVED':
      return { RECEIVED: moves('TransferPrepared'), RESERVED: stays }
    case 'POSTED':
      return both('TransferCommittedFulfiled')
    case 'VOIDED':
      if (answer.reason !== 'TIMEOUT') return both('TransferRejectRequestProcessed')
      return {
        RECEIVED: moves('TransferPrepareRequestTimedout'),
        RESERVED: moves('TransferFulfilComitRequestTimedout'),
      }
    case 'REFUSED':
      return { RECEIVED: moves(refusalAnnouncements[answer.reason]), RESERVED: alarm }
    case 'MISMATCH':
      return { RECEIVED: moves('TransferPrepareDuplicateCheckFailed'), RESERVED: alarm }
    case 'UNKNOWN':
      return { RECEIVED: unfinished, RESERVED: alarm }
    case 'TOO_EARLY':
      return { RECEIVED: waits, RESERVED: waits }
    case 'FAULT':
    case 'NOT_UNDERSTOOD':
      return { RECEIVED: alarm, RESERVED: alarm }
  }
}

/**
 * The same for a transfer that is long past its expiry: where the table only raises an alarm, transfers
 * now follows the ledger, as if nothing had been reserved.
 */
export function healingOf(answer: LedgerAnswer): Consequence {
  const { RECEIVED, RESERVED } = consequenceOf(answer)
  return RESERVED.type === 'alarm' && RECEIVED.type === 'moves'
    ? { RECEIVED, RESERVED: { ...RECEIVED, heals: true } }
    : { RECEIVED, RESERVED }
}

function moves(announces: Announcement): Becomes {
  return { type: 'moves', announces }
}

function both(announces: Announcement): Consequence {
  return { RECEIVED: moves(announces), RESERVED: moves(announces) }
}

/** The answers that can move a transfer. */
export type MovingAnswer = Extract<
  LedgerAnswer,
  { readonly outcome: 'RESERVED' | 'POSTED' | 'VOIDED' | 'REFUSED' | 'MISMATCH' }
>

const undecided: ReadonlySet<LedgerAnswer['outcome']> = new Set([
  'UNKNOWN',
  'TOO_EARLY',
  'FAULT',
  'NOT_UNDERSTOOD',
])

export function canMove(answer: LedgerAnswer): answer is MovingAnswer {
  return !undecided.has(answer.outcome)
}

export interface Circumstances {
  /** ISO 8601 UTC. */
  readonly now: string
  readonly errorOf: (reason: AbortReason) => ErrorInformation
}

/** The transfer after the move. */
export function transferAfter(
  claimed: Claimed,
  answer: MovingAnswer,
  { now, errorOf }: Circumstances,
): Claimed & (Open | Final) {
  switch (answer.outcome) {
    case 'RESERVED':
      return { ...claimed, state: 'RESERVED' }
    case 'POSTED': {
      const { evidence } = answer
      const { fulfilment, completedTimestamp } = evidence
      return {
        ...claimed,
        state: 'COMMITTED',
        fulfilment,
        completedTimestamp,
        ...ofMessage(evidence),
        extensionList: ofResult(evidence),
      }
    }
    case 'VOIDED':
      return { ...claimed, ...voided(answer.reason, answer.evidence) }
    case 'REFUSED':
      return { ...claimed, ...aborted(answer.reason, now) }
    case 'MISMATCH':
      return { ...claimed, ...aborted('MISMATCH', now) }
  }

  function voided(reason: VoidReason, evidence: OutcomeEvidence | undefined): Aborted {
    if (evidence === undefined) return aborted(reason, now)
    // A message that came too late found the expiry; its content is not what ended the transfer.
    if (evidence.kind === 'FULFIL') {
      const { eventId, version } = evidence
      return { ...aborted(reason, now), outcomeEventId: eventId, payeeVersion: version }
    }
    const { completedTimestamp, errorInformation } = evidence
    return {
      ...aborted(reason, completedTimestamp),
      error: errorInformation,
      ...(evidence.kind === 'REFUSAL' ? {} : ofMessage(evidence)),
      ...(evidence.kind === 'REJECT' ? { extensionList: ofResult(evidence) } : {}),
      // A message of another FSP does not count against the payee FSP's.
      ...(reason === 'MISDIRECTED_FULFIL' ? { outcomeHash: undefined } : {}),
    }
  }

  function aborted(reason: AbortReason, completedTimestamp: string): Aborted {
    return {
      state: 'ABORTED',
      reason,
      error: errorOf(reason),
      completedTimestamp,
      outcomeEventId: undefined,
      outcomeHash: undefined,
      payeeVersion: undefined,
      extensionList: undefined,
    }
  }

  function ofResult({ extensionList }: FulfilEvidence | RejectEvidence): ExtensionList | undefined {
    return claimed.bulkTransferId === undefined ? undefined : extensionList
  }
}

/** Whether the message has the same content as the message that the ledger stored. */
export function isEndedBy(transfer: Open | Final, message: Fulfil | Reject | undefined): boolean {
  return (
    message !== undefined &&
    (transfer.state === 'COMMITTED' || transfer.state === 'ABORTED') &&
    transfer.outcomeHash === message.payloadHash
  )
}

function ofMessage(evidence: Exclude<OutcomeEvidence, { readonly kind: 'REFUSAL' }>): {
  readonly outcomeEventId: string
  readonly outcomeHash: string
  readonly payeeVersion: string
} {
  return {
    outcomeEventId: evidence.eventId,
    outcomeHash: evidence.payloadHash,
    payeeVersion: evidence.version,
  }
}
