/**
 * What an oracle of somebody else's is told to change, by what it says of the party right now. It is
 * the oracle's own matter to let only one of two FSPs win that come at the same moment.
 */
import { overlap, type Association } from '../../domain/match.ts'

export interface Wish {
  /** Empty: any; of a removal: all. */
  readonly currency: string
  readonly fspId: string
}

export type Making =
  /** Nobody has it yet. */
  | { readonly type: 'CREATE' }
  /** It is the FSP's own; what else is told of it may have changed. */
  | { readonly type: 'REPLACE' }
  | { readonly type: 'REFUSED'; readonly reason: 'TAKEN' }

export type Removing =
  /** One removal for each; '' is one without currency. */
  | { readonly type: 'REMOVE'; readonly currencies: readonly string[] }
  /** There is nothing left to remove. */
  | { readonly type: 'DONE' }
  | { readonly type: 'REFUSED'; readonly reason: 'PARTY_UNKNOWN' | 'NOT_OWNER' }

/**
 * `found` is what the oracle answers for the party and the wish's currency. An entry without currency
 * is one for any, or comes from an oracle that never tells: of another FSP it is in the way.
 */
export function decideMaking(found: readonly Association[], wish: Wish): Making {
  const meant = found.filter(({ currency }) => overlap(currency, wish.currency))
  if (meant.some(({ fspId }) => fspId !== wish.fspId)) {
    return { type: 'REFUSED', reason: 'TAKEN' }
  }
  const stands = meant.some(({ currency }) => currency === wish.currency)
  return { type: stands ? 'REPLACE' : 'CREATE' }
}

/**
 * A removal names no FSP, so it is asked for only where it can meet nobody else's entry. A repeat
 * that finds nothing of the FSP's own has had its effect before.
 */
export function decideRemoving(
  found: readonly Association[],
  wish: Wish,
  isRepeat: boolean,
): Removing {
  const own = found.filter(({ fspId }) => fspId === wish.fspId)
  if (own.length === 0) {
    if (isRepeat) return { type: 'DONE' }
    return { type: 'REFUSED', reason: found.length === 0 ? 'PARTY_UNKNOWN' : 'NOT_OWNER' }
  }
  const asked = wish.currency === '' ? own.map(({ currency }) => currency) : [wish.currency]
  const currencies = asked.includes('') ? [''] : [...new Set(asked)]
  const others = found.filter(({ fspId }) => fspId !== wish.fspId)
  const meetsOthers = others.some(({ currency }) =>
    currencies.some((each) => overlap(each, currency)),
  )
  return meetsOthers ? { type: 'REFUSED', reason: 'NOT_OWNER' } : { type: 'REMOVE', currencies }
}
