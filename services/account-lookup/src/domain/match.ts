/** Which of a party's associations a question is about: the one place that says so. FSPIOP 6.2.2.1. */

/** An FSP to which a party belongs. */
export interface Association {
  /** Empty: the party itself. */
  readonly subId: string
  /** Empty: any. */
  readonly currency: string
  readonly fspId: string
}

export interface Asked {
  /** Empty: only the party itself, no sub id of it. */
  readonly subId: string
  /** Empty: in any currency. */
  readonly currency: string
}

export function matches(association: Association, asked: Asked): boolean {
  return association.subId === asked.subId && overlap(association.currency, asked.currency)
}

/** Whether there is a currency that both mean; empty means any. */
export function overlap(one: string, other: string): boolean {
  return one === '' || other === '' || one === other
}

/** The FSPs of those that match, each once, in the order of the associations. */
export function ownersOf(associations: readonly Association[], asked: Asked): readonly string[] {
  const matching = associations.filter((association) => matches(association, asked))
  return [...new Set(matching.map(({ fspId }) => fspId))]
}
