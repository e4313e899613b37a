/** Which refusals of the operator port are security events. */
import type { SecurityEvent } from '@causeway/process'
import type { Reason } from '../contract.ts'

const types: Readonly<Partial<Record<Reason, SecurityEvent['type']>>> = {
  SECRET_WRONG: 'LOG_IN_REFUSED',
  LOCKED: 'LOG_IN_REFUSED',
  PROOF_INVALID: 'LOG_IN_REFUSED',
  TOKEN_INVALID: 'ACCESS_REFUSED',
  PRIVILEGE_MISSING: 'ACCESS_REFUSED',
  SAME_PERSON: 'ACCESS_REFUSED',
}

/** Undefined: the refusal indicates no attack. */
export function securityTypeOf(reason: Reason): SecurityEvent['type'] | undefined {
  return types[reason]
}
