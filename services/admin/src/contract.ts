/**
 * Every reason for a refusal by the administration API, with its status and code. The table is
 * exhaustive: a new reason of this API or of another service without a status and a code does not
 * compile.
 */
import { errorCatalogue, errorInformation, type ErrorCode } from '@causeway/fspiop'
import type { RefusalReason } from '@causeway/protos'
import type { RefusedOperation } from './answer.ts'
import type { Json } from './json.ts'
import type { AdminSettings } from './settings.ts'

export type Compatibility = AdminSettings['COMPATIBILITY']

interface Meaning {
  readonly status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 500 | 501 | 503
  readonly code: ErrorCode
}

const meanings = {
  // Faults of the request itself.
  MISSING: { status: 400, code: '3102' },
  MALFORMED: { status: 400, code: '3101' },
  INVALID: { status: 400, code: '3100' },
  TOO_MANY: { status: 400, code: '3103' },
  TOO_LARGE: { status: 400, code: '3104' },
  NOT_ACCEPTABLE: { status: 406, code: '3001' },
  NOT_JSON: { status: 400, code: '3101' },
  LATE: { status: 400, code: '3000' },
  URI_UNKNOWN: { status: 404, code: '3002' },
  METHOD_UNKNOWN: { status: 405, code: '3000' },
  NOT_BUILT: { status: 501, code: '2002' },
  ACCOUNT_TYPE_UNKNOWN: { status: 400, code: '3003' },
  // Authentication and authorization.
  FOREIGN_PAGE: { status: 403, code: '3000' },
  TOKEN_MISSING: { status: 401, code: '3000' },
  TOKEN_INVALID: { status: 401, code: '3000' },
  SECRET_WRONG: { status: 401, code: '3000' },
  LOCKED: { status: 401, code: '3000' },
  PRIVILEGE_MISSING: { status: 403, code: '3000' },
  PASSWORD_OLD: { status: 403, code: '3000' },
  PROOF_INVALID: { status: 401, code: '3000' },
  KEY_MISSING: { status: 403, code: '3000' },
  KEY_REQUIRED: { status: 403, code: '3000' },
  NOT_ONESELF: { status: 403, code: '3000' },
  // From participant-lifecycle.
  PARTICIPANT_UNKNOWN: { status: 404, code: '3200' },
  PARTICIPANT_INACTIVE: { status: 400, code: '3100' },
  NAME_RESERVED: { status: 400, code: '3000' },
  CURRENCY_EXISTS: { status: 400, code: '3000' },
  CURRENCY_NOT_USED: { status: 400, code: '3100' },
  DECIMALS_TOO_MANY: { status: 400, code: '3100' },
  HUB_ACCOUNTS_MISSING: { status: 400, code: '3003' },
  NO_SETTLEMENT_MODEL: { status: 400, code: '6000' },
  HUB_UNCHANGEABLE: { status: 400, code: '3000' },
  NOT_HUB: { status: 400, code: '3003' },
  ACCOUNT_UNKNOWN: { status: 404, code: '3200' },
  ACCOUNT_EXISTS: { status: 400, code: '3003' },
  ACCOUNT_TYPE_WRONG: { status: 400, code: '3100' },
  ACCOUNT_INACTIVE: { status: 400, code: '3100' },
  CURRENCY_MISMATCH: { status: 400, code: '3100' },
  LIMITS_EXIST: { status: 400, code: '3000' },
  LIMIT_UNKNOWN: { status: 404, code: '3200' },
  MODIFIED: { status: 400, code: '3106' },
  FUNDS_UNKNOWN: { status: 404, code: '3200' },
  FUNDS_STATE_WRONG: { status: 400, code: '3100' },
  FUNDS_EXPIRED: { status: 400, code: '3300' },
  COVER_SHORT: { status: 400, code: '4001' },
  PARTICIPANT_EXISTS: { status: 400, code: '3000' },
  STATE_UNKNOWN: { status: 400, code: '3100' },
  STATE_FINAL: { status: 400, code: '3100' },
  ENDPOINT_UNREACHABLE: { status: 400, code: '1001' },
  // Four-eyes changes.
  REQUEST_UNKNOWN: { status: 404, code: '3200' },
  REQUEST_PENDING: { status: 400, code: '3000' },
  REQUEST_EXPIRED: { status: 400, code: '3100' },
  REQUESTS_FULL: { status: 400, code: '3000' },
  REQUEST_DECIDED: { status: 400, code: '3100' },
  SAME_PERSON: { status: 403, code: '3000' },
  // From settlements.
  MODEL_UNKNOWN: { status: 404, code: '3200' },
  MODEL_EXISTS: { status: 400, code: '3000' },
  MODEL_INVALID: { status: 400, code: '3000' },
  MODEL_MISSING: { status: 400, code: '3100' },
  MODEL_INACTIVE: { status: 400, code: '3100' },
  MODEL_SETTLES_AT_ONCE: { status: 400, code: '3100' },
  WINDOW_UNKNOWN: { status: 404, code: '3200' },
  WINDOW_MISSING: { status: 400, code: '3100' },
  WINDOW_NOT_OPEN: { status: 400, code: '3100' },
  WINDOW_EMPTY: { status: 400, code: '3100' },
  WINDOW_NOT_APPLICABLE: { status: 400, code: '3100' },
  SETTLEMENT_UNKNOWN: { status: 404, code: '3200' },
  SETTLEMENT_ACCOUNT_UNKNOWN: { status: 404, code: '3200' },
  REPORT_UNKNOWN: { status: 404, code: '3200' },
  DAY_NOT_OVER: { status: 400, code: '3100' },
  STATE_WRONG: { status: 400, code: '3100' },
  LEDGER_REFUSED: { status: 400, code: '6000' },
  // From auth-service.
  KEY_UNKNOWN: { status: 404, code: '3200' },
  KEY_EXISTS: { status: 400, code: '3000' },
  KEY_REVOKED: { status: 400, code: '3000' },
  CERTIFICATE_UNKNOWN: { status: 404, code: '3200' },
  CERTIFICATE_EXISTS: { status: 400, code: '3000' },
  CERTIFICATE_REVOKED: { status: 400, code: '3000' },
  NO_CA: { status: 501, code: '2002' },
  NO_OIDC: { status: 501, code: '2002' },
  BUSY: { status: 503, code: '2003' },
  SESSION_UNKNOWN: { status: 404, code: '3200' },
  OPERATOR_UNKNOWN: { status: 404, code: '3200' },
  OPERATOR_EXISTS: { status: 400, code: '3000' },
  ROLE_UNKNOWN: { status: 400, code: '3100' },
  ROLE_BUILT_IN: { status: 400, code: '3000' },
  PRIVILEGE_UNKNOWN: { status: 400, code: '3100' },
  LAST_ADMINISTRATOR: { status: 400, code: '3000' },
  CREDENTIAL_EXISTS: { status: 400, code: '3000' },
  CREDENTIALS_FULL: { status: 400, code: '3000' },
  CREDENTIAL_UNKNOWN: { status: 404, code: '3200' },
  CONSENT_UNKNOWN: { status: 404, code: '3200' },
  CONSENT_IN_FORCE: { status: 400, code: '3100' },
  KEY_DEFINITION_UNKNOWN: { status: 404, code: '3200' },
  KEY_USAGE_WRONG: { status: 400, code: '3000' },
  KEY_NOT_VALID: { status: 400, code: '3000' },
  KEY_LOCKED: { status: 400, code: '3000' },
  KEY_NOT_EXPORTABLE: { status: 400, code: '3000' },
  CIPHERTEXT_INVALID: { status: 400, code: '3000' },
  PIN_BLOCK_INVALID: { status: 400, code: '3000' },
  ADAPTER_UNAVAILABLE: { status: 400, code: '3000' },
  CERTIFICATE_INVALID: { status: 400, code: '3100' },
  MONTH_UNKNOWN: { status: 404, code: '3200' },
  MONTH_ERASED: { status: 400, code: '3100' },
  MONTH_TOO_YOUNG: { status: 400, code: '3100' },
  TRANSACTION_REQUEST_UNKNOWN: { status: 404, code: '3206' },
  // From transfers.
  TRANSACTION_UNKNOWN: { status: 404, code: '3200' },
  TRANSFER_UNKNOWN: { status: 404, code: '3208' },
  BULK_TRANSFER_UNKNOWN: { status: 404, code: '3210' },
  // From quoting.
  RULE_UNKNOWN: { status: 404, code: '3200' },
  BULK_QUOTE_UNKNOWN: { status: 404, code: '3209' },
  // From account-lookup.
  ORACLE_UNKNOWN: { status: 404, code: '3200' },
  ORACLE_EXISTS: { status: 400, code: '3100' },
  // From config and auth-service.
  NOT_OWNER: { status: 403, code: '3000' },
  // From config.
  SIGNATURE_INVALID: { status: 401, code: '3000' },
  CONTEXT_UNKNOWN: { status: 404, code: '3200' },
  VERSION_OUTDATED: { status: 409, code: '3000' },
  STALE: { status: 409, code: '3000' },
  // From the scheduler.
  REMINDER_UNKNOWN: { status: 404, code: '3200' },
  REMINDER_WAITING: { status: 400, code: '3100' },
  TIME_PAST: { status: 400, code: '3300' },
  // From audit.
  ENTRY_UNKNOWN: { status: 404, code: '3200' },
  // From notifications.
  DEAD_LETTER_UNKNOWN: { status: 404, code: '3200' },
  DEADLINE_PASSED: { status: 400, code: '3300' },
  // From the administration API itself.
  UNAVAILABLE: { status: 503, code: '2003' },
  FAULT: { status: 500, code: '2001' },
} as const satisfies Readonly<Record<ReasonOfService, Meaning> & Record<string, Meaning>>

/** Those of other services that an operator's request can get. */
type ReasonOfService = Exclude<RefusalReason, 'SET_OUTDATED'>

export type Reason = keyof typeof meanings

/** Answers that differ with COMPATIBILITY=mojaloop. */
const mojaloopMeanings: Partial<Record<Reason, Meaning>> = {
  PARTICIPANT_UNKNOWN: { status: 400, code: '3200' },
  LIMITS_EXIST: { status: 500, code: '2001' },
  TRANSACTION_UNKNOWN: { status: 400, code: '3200' },
  WINDOW_UNKNOWN: { status: 400, code: '3100' },
  SETTLEMENT_UNKNOWN: { status: 400, code: '3100' },
  SETTLEMENT_ACCOUNT_UNKNOWN: { status: 400, code: '3100' },
  ORACLE_UNKNOWN: { status: 400, code: '3003' },
  ORACLE_EXISTS: { status: 500, code: '2001' },
}

export function meaningOf(reason: Reason, compatibility: Compatibility): Meaning {
  return (compatibility === 'mojaloop' && mojaloopMeanings[reason]) || meanings[reason]
}

/** Whether another service's reason is in the table. */
export function isReason(word: string): word is Reason {
  return Object.hasOwn(meanings, word)
}

/** Status and body of a refusal. */
export function errorAnswer(
  { reason, detail }: RefusedOperation,
  compatibility: Compatibility,
): { readonly status: number; readonly body: Json } {
  const { status, code } = meaningOf(reason, compatibility)
  return { status, body: { errorInformation: { ...described(code, detail) } } }
}

/** 6000 means settlement in this API; in the catalogue for FSPs it is a third-party error. */
function described(code: ErrorCode, detail: string) {
  const { errorCode, errorDescription } = errorInformation(code, detail === '' ? undefined : detail)
  return {
    errorCode,
    errorDescription:
      code === '6000'
        ? errorDescription.replace(errorCatalogue[code].name, 'Settlement error')
        : errorDescription,
  }
}
