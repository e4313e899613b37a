/** Money as FSPs write it. */
export interface Amount {
  /** ISO 4217, three letters. */
  readonly currency: string
  /** Decimal, without trailing zeros: "10", "10.5". */
  readonly amount: string
}

/** Only `currency` and `amount`, without other members that a message may carry there. */
export function moneyOf({ currency, amount }: Amount): Amount {
  return { currency, amount }
}
