/**
 * What transfers knows of one transfer. It has exactly one of four states, and what a final state
 * is needed to answer again is stored exactly when the state is final.
 */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'
import type { AbortReason, SettlementKind } from '@causeway/protos'

/** What the payer FSP asked for, as far as money and time are concerned. */
export interface Terms {
  readonly transferId: string
  readonly payerFsp: string
  readonly payeeFsp: string
  /** Ten-thousandths. */
  readonly amount: bigint
  readonly currency: string
  /** ISO 8601 UTC. */
  readonly expiresAt: string
  /** SHA-256 of the fulfilment, base64url. */
  readonly condition: string
}

/** The settlement model that the transfer was allocated to. */
export interface Allocation {
  readonly settlementModelId: number
  readonly settles: SettlementKind
}

/** Written when the id is claimed, never changed. */
export interface Claimed extends Terms {
  /** SHA-256 of the canonical request, base64url. */
  readonly requestHash: string
  /** undefined: no active model serves the currency. */
  readonly allocation: Allocation | undefined
  readonly payerVersion: string
  /** The event that claimed the id; the same one again is a redelivery. */
  readonly prepareEventId: string
  /** When the last byte of the request came to the hub; ISO 8601 UTC. */
  readonly receivedAt: string
  /** The bulk that it is an item of; undefined: it was asked for by itself. */
  readonly bulkTransferId: string | undefined
}

/** Not final: the ledger has the last word. RECEIVED means that reserving is not finished. */
export interface Open {
  readonly state: OpenState
}

export type OpenState = 'RECEIVED' | 'RESERVED'

/** What every final state remembers of how it came about. */
export interface TransferEnd {
  /** As the payee FSP gave it, else when the hub ended the transfer. */
  readonly completedTimestamp: string
  /** The payee FSP's message that ended it or found it expired, answered thereby; else undefined. */
  readonly outcomeEventId: string | undefined
  /** Hash of that message; undefined when the transfer ended for a reason other than its content. */
  readonly outcomeHash: string | undefined
  readonly payeeVersion: string | undefined
  /** Of the payee FSP's result for an item of a bulk; that of a single transfer is in its message. */
  readonly extensionList: ExtensionList | undefined
}

export interface Committed extends TransferEnd {
  readonly state: 'COMMITTED'
  readonly fulfilment: string
}

export interface Aborted extends TransferEnd {
  readonly state: 'ABORTED'
  readonly reason: AbortReason
  readonly error: ErrorInformation
}

export type Final = Committed | Aborted

export type Transfer = Claimed & (Open | Final)

export function isOpen(transfer: Transfer): transfer is Claimed & Open {
  return transfer.state === 'RECEIVED' || transfer.state === 'RESERVED'
}
