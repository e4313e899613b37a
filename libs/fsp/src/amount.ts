/** Money as FSPs write it. */
export interface Amount {
  /** ISO 4217, three letters. */
  readonly currency: string
  /** Decimal, without trailing zeros: "10", "10.5". */
  readonly amount: string
}

/** Without what else a message may say there. */
export function moneyOf({ currency, amount }: Amount): Amount {
  return { currency, amount }
}
