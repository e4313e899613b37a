/**
 * The state of one bulk quote. It has the states of a quote and ends once; whether a single item has a
 * quote is in the answer.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import type {
  Accepted,
  Claimed,
  Expired,
  EndingMessage,
  Pending,
  RejectReason,
} from '../../quotes/domain/quote.ts'

export interface ClaimedBulk extends Omit<Claimed, 'quoteId' | 'currency'> {
  readonly bulkQuoteId: string
}

export type AcceptedBulk = Omit<Accepted, 'transferAmount'>

export interface RejectedBulk {
  readonly state: 'REJECTED'
  /** undefined: it was refused before the payee FSP was determined. */
  readonly payeeFsp: string | undefined
  /** ITEMS: the hub refused every item, for several reasons or by a rule. */
  readonly reason: Exclude<RejectReason, 'RULE'> | 'ITEMS'
  /** The reason of the first item if the items have different ones. */
  readonly error: ErrorInformation
  /** undefined if no message of the payee FSP ended it. */
  readonly outcome: EndingMessage | undefined
}

export type EndedBulk = AcceptedBulk | RejectedBulk
export type BulkQuote = ClaimedBulk & (Pending | EndedBulk | Expired)
