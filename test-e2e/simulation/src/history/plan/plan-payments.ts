/** Which payments a history has, by chance: between whom, in which currency, how they are answered. */
import type { Chance } from '../../virtual/chance.ts'
import { currencies, type Currency } from './currencies.ts'
import type { Lists } from './lists.ts'
import type { PayeeAnswer, PlannedBulk, PlannedTransfer } from './plan.ts'

const pairs = [
  ['mango', 'river'],
  ['mango', 'river'],
  ['river', 'mango'],
  ['river', 'mango'],
  ['poor', 'mango'],
  ['mango', 'nobody'],
] as const

/** Results with the longest lists: these are so many that no list fits into its share of the bound. */
const items_max = 208

const answers: readonly (readonly PayeeAnswer[])[] = [
  ['FULFIL'],
  ['FULFIL'],
  ['JUST'],
  ['JUST'],
  ['FULFIL', 'FULFIL'],
  ['RESERVE'],
  ['REJECT'],
  ['WRONG'],
  ['SILENT'],
  ['LATE'],
  ['SWEPT'],
  ['FULFIL', 'REJECT'],
  ['REJECT', 'FULFIL'],
  ['WRONG', 'FULFIL'],
  ['LATE', 'FULFIL'],
]

export function transferBy(chance: Chance): PlannedTransfer {
  const [payer, payee] = chance.oneOf(pairs)
  return {
    payer,
    payee,
    amount: chance.oneOf(['1', '2.5', '0.01']),
    ...currencyBy(chance),
    begins_ms: chance.below(1_500),
    valid_ms: 1_000 + chance.below(4_000),
    leads: (['LOOKUP', 'QUOTE'] as const).filter(() => chance.happens(0.2)),
    answers: chance.oneOf(answers),
    again: (['SAME', 'OTHER'] as const).filter(() => chance.happens(0.2)),
    ...listsBy(chance),
  }
}

export function bulkBy(chance: Chance): PlannedBulk {
  const [payer, payee] = chance.oneOf(pairs)
  const kinds = ['FULFIL', 'FULFIL', 'FULFIL', 'REJECT', 'WRONG'] as const
  const lists = listsBy(chance)
  const isLarge = lists.lists === 'LONGEST' && chance.happens(0.1)
  const length = isLarge ? items_max : 1 + chance.below(60)
  const items = Array.from({ length }, () => chance.oneOf(kinds))
  return {
    payer,
    payee,
    ...currencyBy(chance),
    items,
    twice: chance.happens(0.2) ? Math.min(length, 1 + chance.below(3)) : 0,
    speaks: chance.oneOf(['ANSWER', 'ANSWER', 'JUST', 'REJECT', 'LATE', 'PARTLY', 'SILENT']),
    parts: chance.oneOf([0, 0, 1, 3]),
    begins_ms: chance.below(1_500),
    valid_ms: 1_500 + chance.below(4_000),
    ...lists,
  }
}

/** Two thirds of the payments are in the currencies that do not settle net. */
function currencyBy(chance: Chance): { readonly currency?: Currency } {
  const currency = chance.oneOf(currencies)
  return currency === 'USD' ? {} : { currency }
}

/** The messages of one payment in three have lists, half of them the longest. */
function listsBy(chance: Chance): { readonly lists?: Lists } {
  return chance.happens(1 / 3) ? { lists: chance.oneOf(['ONE', 'LONGEST'] as const) } : {}
}
