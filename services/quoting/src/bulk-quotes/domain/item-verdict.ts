/** The state of one item of a bulk quote, as if it were a quote of its own. */
import { parseAmount } from '@causeway/money'
import type { QuoteReason, QuoteState } from '@causeway/protos'

export interface ItemVerdict {
  readonly state: QuoteState
  /** ITEMS: the hub refused it; REFUSED: the payee FSP did; UNANSWERED: its answer leaves it out. */
  readonly reason: QuoteReason | null
  /** errorInformation, JSON. */
  readonly error: string | null
  /** Ten-thousandths; also null if it is encrypted. */
  readonly transferAmount: bigint | null
}

export interface ItemResult {
  readonly quoteId: string
  readonly transferAmount?: { readonly amount: string }
  readonly errorInformation?: object
}

interface EndedBulkState {
  readonly state: QuoteState
  readonly reason: QuoteReason | null
  readonly error: string | null
}

/**
 * @param refusal the hub's errorInformation of the item
 * @param results of the payee FSP by the ids of the items; undefined: the answer is not available
 */
export function itemVerdict(
  quoteId: string,
  refusal: string | null,
  bulk: EndedBulkState,
  results: ReadonlyMap<string, ItemResult> | undefined,
): ItemVerdict {
  const none = { transferAmount: null }
  if (refusal !== null) return { ...none, state: 'REJECTED', reason: 'ITEMS', error: refusal }
  const { state, reason, error } = bulk
  if (state !== 'ACCEPTED' || results === undefined) return { ...none, state, reason, error }
  const result = results.get(quoteId)
  if (result === undefined) {
    return { ...none, state: 'REJECTED', reason: 'UNANSWERED', error: null }
  }
  if (result.errorInformation !== undefined) {
    const refused = JSON.stringify(result.errorInformation)
    return { ...none, state: 'REJECTED', reason: 'REFUSED', error: refused }
  }
  const transferAmount = parseAmount(result.transferAmount?.amount ?? '') ?? null
  return { state, reason: null, error: null, transferAmount }
}

/** Of a PUT /bulkQuotes as the payee FSP sent it. */
export function resultsIn(answer: Buffer): ReadonlyMap<string, ItemResult> {
  const { individualQuoteResults = [] } = JSON.parse(answer.toString()) as {
    readonly individualQuoteResults?: readonly ItemResult[]
  }
  return new Map(individualQuoteResults.map((result) => [result.quoteId, result]))
}
