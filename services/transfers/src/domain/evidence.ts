/**
 * What the ledger stores with an outcome: all that is needed to announce it without the message that
 * caused it. The answer to the loser of a race is built from it, and every answer after a crash.
 */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'

/** Of which message of the payee FSP the outcome came. */
interface OfMessage {
  readonly eventId: string
  readonly payloadHash: string
  /** The API version that the payee FSP used. */
  readonly version: string
  /** As the payee FSP gave it, else when the hub took the message on. */
  readonly completedTimestamp: string
}

export interface FulfilEvidence extends OfMessage {
  readonly kind: 'FULFIL'
  readonly fulfilment: string
  /** The payee FSP asked with RESERVED and waits for a PATCH. */
  readonly notifyPayee: boolean
  readonly extensionList?: ExtensionList | undefined
}

/** The fulfilment was missing or wrong, or the message misdirected. */
export interface InvalidFulfilmentEvidence extends OfMessage {
  readonly kind: 'INVALID_FULFILMENT'
  readonly notifyPayee: boolean
  readonly errorInformation: ErrorInformation
}

/** The payee FSP refused. */
export interface RejectEvidence extends OfMessage {
  readonly kind: 'REJECT'
  readonly errorInformation: ErrorInformation
  /** Of its result for an item of a bulk. */
  readonly extensionList?: ExtensionList | undefined
}

/** The hub itself refused before it reserved anything. */
export interface RefusalEvidence {
  readonly kind: 'REFUSAL'
  readonly completedTimestamp: string
  readonly errorInformation: ErrorInformation
}

export type OutcomeEvidence =
  | FulfilEvidence
  | InvalidFulfilmentEvidence
  | RejectEvidence
  | RefusalEvidence
