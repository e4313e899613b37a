/** What the world outside knows of a transfer: what was sent, and what was announced. It survives every crash. */
import type { PlannedTransfer } from './plan.ts'

/** How a transfer ended, as FSPs learn of it. */
export type End =
  | 'COMMITTED'
  | 'REJECTED'
  | 'WRONG_FULFILMENT'
  | 'EXPIRED'
  | 'NO_COVER'
  | 'UNKNOWN_PAYEE'

/** A message of the payee FSP. It is stored at most once, at a moment between these. */
export interface Sent {
  readonly kind: 'FULFIL' | 'REJECT' | 'WRONG'
  /** When each try was received, in ms. */
  readonly tries_ms: number[]
  /** Whether the last try was answered. */
  isAccepted: boolean
}

export interface TransferRecord {
  readonly id: string
  readonly planned: PlannedTransfer
  readonly expires_ms: number
  /** The request was answered with 202: it must end. */
  isAccepted: boolean
  /** When the request was received, each try. */
  readonly prepares_ms: number[]
  /** A request with this id and other content came too; it may have come first. */
  isModified: boolean
  readonly sent: Sent[]
  /** The payee FSP was asked, by the ids of the messages. */
  readonly asked: Set<string>
  /** Ends by the id of the message that announced them. */
  readonly ends: Map<string, End>
  ended_ms: number | undefined
}

export function newRecord(id: string, planned: PlannedTransfer, begin_ms: number): TransferRecord {
  return {
    id,
    planned,
    expires_ms: begin_ms + planned.expires_ms,
    isAccepted: false,
    prepares_ms: [],
    isModified: false,
    sent: [],
    asked: new Set(),
    ends: new Map(),
    ended_ms: undefined,
  }
}
