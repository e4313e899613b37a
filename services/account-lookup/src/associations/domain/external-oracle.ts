/**
 * Decides which change to send to an external oracle, given the associations that it reports now.
 * When two FSPs request the same party at the same moment, the oracle decides which one wins.
 */
import { anyCurrency, overlap, type Association } from '../../domain/match.ts'

export interface RequestedChange {
  /** Empty: any currency; for a removal, all currencies. */
  readonly currency: string
  readonly fspId: string
}

export type AssociationDecision =
  /** The party has no association yet. */
  | { readonly type: 'CREATE' }
  /** The FSP has it already; its other fields may have changed. */
  | { readonly type: 'REPLACE' }
  | { readonly type: 'REFUSED'; readonly reason: 'TAKEN' }

export type RemovalDecision =
  /** One removal per currency; `anyCurrency` removes the association without currency. */
  | { readonly type: 'REMOVE'; readonly currencies: readonly string[] }
  /** There is nothing left to remove. */
  | { readonly type: 'DONE' }
  | { readonly type: 'REFUSED'; readonly reason: 'PARTY_UNKNOWN' | 'NOT_OWNER' }

/**
 * `found` is the oracle's answer for the party and the requested currency. An entry without
 * currency either holds for any currency or comes from an oracle that does not report currencies:
 * such an entry of another FSP is a conflict.
 */
export function decideAssociation(
  found: readonly Association[],
  request: RequestedChange,
): AssociationDecision {
  const meant = found.filter(({ currency }) => overlap(currency, request.currency))
  if (meant.some(({ fspId }) => fspId !== request.fspId)) {
    return { type: 'REFUSED', reason: 'TAKEN' }
  }
  const exists = meant.some(({ currency }) => currency === request.currency)
  return { type: exists ? 'REPLACE' : 'CREATE' }
}

/**
 * A removal names no FSP, so it is sent only if it cannot affect another FSP's entry. If a repeated
 * request finds no entry of the FSP, the first attempt has removed it.
 */
export function decideRemoval(
  found: readonly Association[],
  request: RequestedChange,
  isRepeat: boolean,
): RemovalDecision {
  const own = found.filter(({ fspId }) => fspId === request.fspId)
  if (own.length === 0) {
    if (isRepeat) return { type: 'DONE' }
    return { type: 'REFUSED', reason: found.length === 0 ? 'PARTY_UNKNOWN' : 'NOT_OWNER' }
  }
  const asked =
    request.currency === anyCurrency ? own.map(({ currency }) => currency) : [request.currency]
  const currencies = asked.includes(anyCurrency) ? [anyCurrency] : [...new Set(asked)]
  const others = found.filter(({ fspId }) => fspId !== request.fspId)
  const meetsOthers = others.some(({ currency }) =>
    currencies.some((each) => overlap(each, currency)),
  )
  return meetsOthers ? { type: 'REFUSED', reason: 'NOT_OWNER' } : { type: 'REMOVE', currencies }
}
