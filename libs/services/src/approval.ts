/** Four eyes: who may decide a request for a change: another person than its maker, once. */
import { refuse, type Refused } from './refusals.ts'

export type RequestState = 'PEND-APPROVAL' | 'APPROVED' | 'REJECTED'

export interface ApprovalRequest {
  readonly id: string
  readonly state: RequestState
  readonly createdBy: string
  readonly createdAt: Date
  /** Null while it is pending. */
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly note: string
}

export interface ApprovalDecision {
  readonly decision: 'APPROVE' | 'REJECT'
  readonly by: string
}

export type Judgement =
  | Refused<'REQUEST_UNKNOWN' | 'REQUEST_DECIDED' | 'SAME_PERSON'>
  /** The same person has already made the same decision. */
  | { readonly type: 'EXISTS' }
  | { readonly type: 'APPLY' }
  | { readonly type: 'REJECT' }

export function judgeDecision(
  { id, state, createdBy, decidedBy }: ApprovalRequest,
  { decision, by }: ApprovalDecision,
): Judgement {
  if (state !== 'PEND-APPROVAL') {
    const isSame = state === stateAfter(decision) && decidedBy === by
    return isSame ? { type: 'EXISTS' } : refuse('REQUEST_DECIDED', `${id} is ${state}`)
  }
  if (createdBy === by) {
    return refuse('SAME_PERSON', `${by} has requested ${id}, another person must decide`)
  }
  return { type: decision === 'APPROVE' ? 'APPLY' : 'REJECT' }
}

export function stateAfter(decision: ApprovalDecision['decision']): RequestState {
  return decision === 'APPROVE' ? 'APPROVED' : 'REJECTED'
}
