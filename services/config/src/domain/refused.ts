/** A refusal that a caller must expect. */
export type Reason =
  | 'INVALID'
  | 'NOT_OWNER'
  | 'CONTEXT_UNKNOWN'
  | 'VERSION_OUTDATED'
  | 'STALE'
  | 'MODIFIED'
  | 'REQUEST_UNKNOWN'
  | 'REQUEST_PENDING'
  | 'REQUEST_DECIDED'
  | 'SAME_PERSON'

export interface Refused {
  readonly type: 'REFUSE'
  readonly reason: Reason
  readonly detail: string
}

export function refuse(reason: Reason, detail: string): Refused {
  return { type: 'REFUSE', reason, detail }
}
