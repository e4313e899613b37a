/** The FSPIOP error of each reason; a reason without one does not compile. */
import { errorInformation, type ErrorCode } from '@causeway/fspiop'
import type { VerificationAnswer } from './domain/decision.ts'
import type { ConsentReason } from './domain/reason.ts'

type Reason = ConsentReason | Exclude<VerificationAnswer['result'], 'VERIFIED'>

type ErrorOf = readonly [code: ErrorCode, detail?: string]

/** The detail of an invalid credential or signature is recorded for operators and not sent. */
const errors = {
  MALFORMED: ['3101'],
  STATUS_WRONG: ['3100', 'status must be ISSUED and credential.status PENDING'],
  CREDENTIAL_INVALID: ['6200'],
  OWNERSHIP_REFUSED: ['6003', 'the consent could not be registered for lookups'],
  OWNERSHIP_UNCONFIRMED: ['6003', 'the consent could not be registered for lookups in time'],
  ID_USED: ['3106', 'the id was used before'],
  NOT_PARTY: ['6104', 'the sender is not a party of the consent'],
  CONSENT_UNKNOWN: ['6103', 'the consent is unknown'],
  CONSENT_PENDING: ['6103', 'the consent is not issued yet'],
  CONSENT_REVOKED: ['6103', 'the consent is revoked'],
  SIGNATURE_INVALID: ['6201'],
  VERIFICATION_UNKNOWN: ['3200', 'the verification request is unknown'],
} as const satisfies Record<Reason, ErrorOf>

/** The error as it is sent to an FSP. */
export function errorOf(reason: Reason): { errorCode: string; errorDescription: string } {
  const [code, detail]: ErrorOf = errors[reason]
  const { errorCode, errorDescription } = errorInformation(code, detail)
  return { errorCode, errorDescription }
}
