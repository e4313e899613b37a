/** A request for a change, and who may decide it: another person than its maker, once. */
import type { NewValue } from './configuration.ts'
import { refuse, type Refused } from './refused.ts'

export const requestTypes = ['ConfigurationValues'] as const

export type RequestType = (typeof requestTypes)[number]

export type RequestState = 'PEND-APPROVAL' | 'APPROVED' | 'REJECTED'

export interface ChangeRequest {
  readonly id: string
  readonly type: RequestType
  readonly contextId: string
  readonly schemaVersion: string
  readonly iterationNumber: number
  readonly newValues: readonly NewValue[]
  readonly state: RequestState
  readonly createdBy: string
  readonly createdAt: Date
  /** Null while it is pending. */
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly note: string
}

export interface Verdict {
  readonly decision: 'APPROVE' | 'REJECT'
  readonly by: string
  /** The type that the request must have. */
  readonly type: string
}

export type Judgement =
  | Refused
  /** The same person has already made the same decision. */
  | { readonly type: 'EXISTS' }
  | { readonly type: 'APPLY' }
  | { readonly type: 'REJECT' }

export function judge(request: ChangeRequest, { decision, by, type }: Verdict): Judgement {
  if (request.type !== type) {
    return refuse('REQUEST_UNKNOWN', `there is no ${type} request ${request.id}`)
  }
  if (request.state !== 'PEND-APPROVAL') {
    const isSame = request.state === stateAfter(decision) && request.decidedBy === by
    return isSame
      ? { type: 'EXISTS' }
      : refuse('REQUEST_DECIDED', `${request.id} is ${request.state}`)
  }
  if (request.createdBy === by) {
    return refuse('SAME_PERSON', `${by} has requested ${request.id}, another person must decide`)
  }
  return { type: decision === 'APPROVE' ? 'APPLY' : 'REJECT' }
}

export function stateAfter(decision: Verdict['decision']): RequestState {
  return decision === 'APPROVE' ? 'APPROVED' : 'REJECTED'
}
