/** The closed set of refusal reasons, as in the gRPC contract. */

export type Reason =
  | 'PARTICIPANT_UNKNOWN'
  | 'KEY_UNKNOWN'
  | 'KEY_EXISTS'
  | 'SECRET_WRONG'
  | 'NO_CA'
  | 'INVALID'
  | 'LOCKED'
  | 'BUSY'
  | 'TOKEN_INVALID'
  | 'OPERATOR_UNKNOWN'
  | 'OPERATOR_EXISTS'
  | 'ROLE_UNKNOWN'
  | 'ROLE_BUILT_IN'
  | 'PRIVILEGE_UNKNOWN'
  | 'SET_OUTDATED'
  | 'LAST_ADMINISTRATOR'
  | 'CONSENT_UNKNOWN'
  | 'CONSENT_IN_FORCE'

export interface Refused {
  readonly type: 'REFUSE'
  readonly reason: Reason
  /** For the caller: names the fault and never repeats a secret. */
  readonly detail: string
}

export function refuse(reason: Reason, detail: string): Refused {
  return { type: 'REFUSE', reason, detail }
}

export function unknownParticipant(name: string): Refused {
  return refuse('PARTICIPANT_UNKNOWN', `there is no FSP ${name}`)
}
