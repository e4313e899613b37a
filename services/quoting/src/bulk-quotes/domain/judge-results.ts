/** Decides which items of a payee FSP's answer the scheme forbids. */
import { judgeAnswer, type AnswerFacts } from '../../rules/domain/judge-answer.ts'
import type { Money, Rule, Violation } from '../../rules/domain/rule.ts'

/** The payee FSP's result; without an amount there is no quote. */
export interface Result {
  readonly quoteId: string
  readonly transferAmount: Money | undefined
  readonly fee: Money | undefined
  readonly commission: Money | undefined
  /** The payee FSP refuses the item. */
  readonly isError: boolean
}

/** The terms that were requested for an item. */
export interface AskedItem {
  readonly quoteId: string
  readonly currency: string
}

/** The violations by the id of the item; results of items that were not requested are ignored. */
export function judgeResults(
  rules: readonly Rule[],
  asked: readonly AskedItem[],
  results: readonly Result[],
  facts: Pick<AnswerFacts, 'payeeFsp' | 'validity_ms'>,
): ReadonlyMap<string, Violation> {
  const currencies = new Map(asked.map(({ quoteId, currency }) => [quoteId, currency]))
  const violations = new Map<string, Violation>()
  for (const { quoteId, transferAmount, fee, commission, isError } of results) {
    const currency = currencies.get(quoteId)
    if (isError || transferAmount === undefined || currency === undefined) continue
    const violation = judgeAnswer(rules, { ...facts, currency, transferAmount, fee, commission })
    if (violation !== undefined) violations.set(quoteId, violation)
  }
  return violations
}
