/** What an operation comes to: an answer with its status, or a refusal with its reason. */
import type { Reason } from './contract.ts'
import type { Json } from './json.ts'

export type Answer = Answered | Refused

export interface Answered {
  readonly outcome: 'answered'
  readonly status: 200 | 201 | 202 | 204 | 503
  /** undefined: the answer has no body. */
  readonly body: Json | undefined
}

export interface Refused {
  readonly outcome: 'refused'
  readonly reason: Reason
  /** What a person should know beyond the text of the error code; may be empty. */
  readonly detail: string
}

export function answered(status: Answered['status'], body?: Json): Answered {
  return { outcome: 'answered', status, body }
}

export function refused(reason: Reason, detail = ''): Refused {
  return { outcome: 'refused', reason, detail }
}
