/** Which associations of a party a query matches: the only definition of it. FSPIOP 6.2.2.1. */

/** An FSP to which a party belongs. */
export interface Association {
  /** Empty: the party itself. */
  readonly subId: string
  /** Empty: any. */
  readonly currency: string
  readonly fspId: string
}

export interface AssociationFilter {
  /** Empty: only the party itself, none of its sub ids. */
  readonly subId: string
  /** Empty: in any currency. */
  readonly currency: string
}

export function matches(association: Association, asked: AssociationFilter): boolean {
  return association.subId === asked.subId && overlap(association.currency, asked.currency)
}

/** In place of a currency: the association, request or oracle is for every one. */
export const anyCurrency = ''

/** Whether the two have a currency in common. */
export function overlap(one: string, other: string): boolean {
  return one === anyCurrency || other === anyCurrency || one === other
}

/** The FSPs of the matching associations, without duplicates, in order. */
export function ownersOf(
  associations: readonly Association[],
  asked: AssociationFilter,
): readonly string[] {
  const matching = associations.filter((association) => matches(association, asked))
  return [...new Set(matching.map(({ fspId }) => fspId))]
}
