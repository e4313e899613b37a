/** What the world outside knows of a payment: what was sent, and what came back. It survives every crash. */
import type { Lead, PlannedTransfer } from './plan/plan.ts'

/** How a transfer ended, as FSPs learn of it. */
export type End =
  | 'COMMITTED'
  | 'REJECTED'
  /** The fulfilment does not fit, or an FSP is off. */
  | 'INVALID'
  | 'EXPIRED'
  | 'NO_COVER'
  | 'CAP_REACHED'
  | 'UNKNOWN_PAYEE'
  /** The payee FSP has not taken the request. */
  | 'NOT_TAKEN'
  /** Where the hub gives no reason: in a PATCH. */
  | 'ABORTED'

/** A message of an FSP with all its tries. */
export interface SentMessage {
  /** When each try may count as received, by the clocks of the hub. */
  readonly received_ms: number[]
  /** Of the answer; undefined: it is still tried. */
  status: number | undefined
}

/** A message of a payee FSP about a transfer. */
export interface PayeeMessage extends SentMessage {
  readonly kind: 'FULFIL' | 'REJECT' | 'WRONG'
}

/** A question of a payer FSP: who holds the party, and what a payment costs. */
export interface Question {
  readonly kind: Lead
  /** The id of the quote, or the identifier of the party. */
  readonly about: string
  readonly asked: SentMessage
  /** By the FSP of the payee. */
  answered: SentMessage | undefined
  /** What came back. */
  readonly callbacks: ('ANSWER' | 'ERROR')[]
}

export interface TransferRecord {
  readonly id: string
  readonly planned: PlannedTransfer
  /** Known when it is sent: what leads to it takes time. */
  expires_ms: number
  readonly questions: Question[]
  readonly prepare: SentMessage
  /** The payer FSP has asked for terms, and does not pay. */
  isWithdrawn: boolean
  /** Of the payee FSP, one after the other. */
  readonly sent: PayeeMessage[]
  /** How often the payee FSP was asked. */
  asked: number
  /** It has refused the request by its HTTP status. */
  isRefused: boolean
  /** Each callback about an end, in order. */
  readonly payerEnds: End[]
  readonly payeeEnds: End[]
  ended_ms: number | undefined
}

export function newSent(): SentMessage {
  return { received_ms: [], status: undefined }
}

/** The hub has promised to work on it. */
export function isAccepted({ status }: SentMessage): boolean {
  return status !== undefined && status < 300
}

export function newRecord(id: string, planned: PlannedTransfer): TransferRecord {
  return {
    id,
    planned,
    expires_ms: Infinity,
    questions: [],
    prepare: newSent(),
    isWithdrawn: false,
    sent: [],
    asked: 0,
    isRefused: false,
    payerEnds: [],
    payeeEnds: [],
    ended_ms: undefined,
  }
}

/** Terms that the hub has accepted reach the payer FSP; a lookup may stay without an answer. */
function isClosed({ kind, asked, answered, callbacks }: Question): boolean {
  if (asked.status === undefined) return false
  if (answered === undefined) return true
  if (answered.status === undefined) return false
  return kind === 'LOOKUP' || !isAccepted(answered) || callbacks.length > 0
}

/** Whether both FSPs know all that they will. */
export function isOver({
  questions,
  prepare,
  isWithdrawn,
  sent,
  payerEnds,
}: TransferRecord): boolean {
  if (!questions.every(isClosed)) return false
  if (isWithdrawn) return true
  if (prepare.status === undefined || sent.some(({ status }) => status === undefined)) return false
  return !isAccepted(prepare) || payerEnds.length > 0
}
