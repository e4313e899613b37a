/** The FSPIOP error of each reason for a bulk quote or its items. */
import { errorInformation, type ErrorInformation } from '@causeway/fspiop'
import type { AnswerReason } from '../quotes/domain/decide.ts'
import { answerErrorOf, requestErrorOf, violationErrorOf } from '../quotes/errors.ts'
import type { ItemReason, ItemRefusal } from './domain/judge-items.ts'

const itemErrors = {
  OTHER_PAYEE_FSP: ['3100', 'the payee is not a customer of the FSP that the bulk is for'],
  ID_TWICE: ['3106', 'an earlier item has the same id'],
} as const satisfies Record<ItemReason, readonly [string, string]>

export function itemErrorOf(refusal: ItemRefusal): ErrorInformation {
  if (refusal.type === 'forbid') return violationErrorOf(refusal.violation)
  const { reason } = refusal
  if (reason !== 'OTHER_PAYEE_FSP' && reason !== 'ID_TWICE') return requestErrorOf(reason)
  const [code, detail] = itemErrors[reason]
  return errorInformation(code, detail)
}

/** As for a quote, except for an unknown id. */
export function bulkAnswerErrorOf(reason: AnswerReason): ErrorInformation {
  return reason === 'ID_UNKNOWN' ? errorInformation('3209') : answerErrorOf(reason)
}
