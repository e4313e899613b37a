/** The FSPIOP error and the event of each reason. A reason without them does not compile. */
import { errorInformation, type ErrorCode, type ErrorInformation } from '@causeway/fspiop'
import type { Violation } from '../rules/domain/rule.ts'
import type { AnswerReason } from './domain/decide.ts'
import type { RequestReason } from './domain/quote.ts'
import type { UndeliveredReason } from './domain/undelivered.ts'

type ErrorOf = readonly [code: ErrorCode, detail?: string]

const requestErrors = {
  PAYER_NAMED_OTHERWISE: ['3100', 'the sender is not the FSP of the payer in the message'],
  PAYER_UNKNOWN: ['3202'],
  PAYER_INACTIVE: ['4000', 'the payer FSP is not active'],
  PAYER_NO_ACCOUNT: ['4000', 'the payer FSP has no active account in this currency'],
  PAYEE_UNKNOWN: ['3201', 'the payee FSP is unknown'],
  PAYEE_INACTIVE: ['3201', 'the payee FSP is not active'],
  PAYEE_NO_ACCOUNT: ['3201', 'the payee FSP has no active account in this currency'],
  PARTY_UNKNOWN: ['3204'],
  LOOKUP_AWAY: ['2003', 'the FSP of the payee could not be determined'],
  EXPIRED: ['3302', 'the request has expired'],
} as const satisfies Record<RequestReason, ErrorOf>

/** The FSP that a refusal concerns; undefined: the request itself. */
export const refusalRoles = {
  PAYER_NAMED_OTHERWISE: 'PAYER',
  PAYER_UNKNOWN: 'PAYER',
  PAYER_INACTIVE: 'PAYER',
  PAYER_NO_ACCOUNT: 'PAYER',
  PAYEE_UNKNOWN: 'PAYEE',
  PAYEE_INACTIVE: 'PAYEE',
  PAYEE_NO_ACCOUNT: 'PAYEE',
  PARTY_UNKNOWN: undefined,
  LOOKUP_AWAY: undefined,
  EXPIRED: undefined,
} as const satisfies Record<RequestReason, 'PAYER' | 'PAYEE' | undefined>

const answerErrors = {
  ID_UNKNOWN: ['3205'],
  ID_USED: ['3106', 'the id was used before'],
  SENDER_NOT_PAYEE: ['3100', 'the sender is not the payee FSP of this quote'],
  DESTINATION_NOT_PAYER: ['3100', 'the destination is not the payer FSP of this quote'],
  CONTENT_MODIFIED: ['3106', 'the quote ended with another message'],
  TOO_LATE: ['3302'],
  NOT_PENDING: ['3100', 'the quote is not pending'],
  ANSWER_OWED: ['3100', 'the quote waits for the answer of the payee FSP'],
  ANSWER_NOT_KEPT: ['3302', 'the answer is archived and no longer available'],
  ASKER_NOT_PARTY: ['3000'],
  DESTINATION_MISSING: ['3201', 'the destination is missing'],
} as const satisfies Record<AnswerReason, ErrorOf>

const undeliveredErrors = {
  EXPIRED: ['3302', 'the request expired before it could be delivered'],
  UNREACHABLE: ['1001'],
  NOT_IMPLEMENTED: ['2002'],
  VERSION_REFUSED: ['3001'],
  REFUSED_WITHOUT_REASON: ['3000'],
} as const satisfies Record<UndeliveredReason, ErrorOf>

const violationCodes = {
  CURRENCY: '3100',
  AMOUNT: '4200',
  VELOCITY: '4200',
  FEE: '3100',
  VALIDITY: '3100',
  TRANSFER_CURRENCY: '3100',
} as const satisfies Record<Violation['type'], ErrorCode>

export function requestErrorOf(reason: RequestReason): ErrorInformation {
  const [code, detail]: ErrorOf = requestErrors[reason]
  return errorInformation(code, detail)
}

export function answerErrorOf(reason: AnswerReason): ErrorInformation {
  const [code, detail]: ErrorOf = answerErrors[reason]
  return errorInformation(code, detail)
}

export function undeliveredErrorOf(reason: UndeliveredReason): ErrorInformation {
  const [code, detail]: ErrorOf = undeliveredErrors[reason]
  return errorInformation(code, detail)
}

export function violationErrorOf({ type, ruleId, detail }: Violation): ErrorInformation {
  return errorInformation(violationCodes[type], `rule ${ruleId}: ${detail}`)
}
