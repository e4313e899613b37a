/**
 * A transfer as the ledger's answer leaves it, and which of the message at hand and the message that
 * the ledger stored has ended it.
 */
import type { Fulfil, Reject } from './decide.ts'
import type { Evidence, FulfilEvidence, RejectEvidence } from './evidence.ts'
import type { LedgerAnswer } from './ledger-answer.ts'
import type {
  Aborted,
  AbortReason,
  Claimed,
  ErrorInformation,
  ExtensionList,
  Final,
  Open,
  VoidReason,
} from './transfer.ts'

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

  function voided(reason: VoidReason, evidence: Evidence | undefined): Aborted {
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

function ofMessage(evidence: Exclude<Evidence, { readonly kind: 'REFUSAL' }>): {
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
