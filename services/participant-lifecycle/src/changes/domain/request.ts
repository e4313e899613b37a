/** A request for a change, and who may decide it. */
import {
  judgeDecision,
  refuse,
  type ApprovalDecision,
  type ApprovalRequest,
  type Judgement,
} from '@causeway/services'
import type { Wanted, WantedType } from './wanted.ts'

export interface ChangeRequest extends ApprovalRequest {
  readonly wanted: Wanted
}

export interface Verdict extends ApprovalDecision {
  /** The type that the request must have; null: any. */
  readonly type: WantedType | null
}

export function judge(request: ChangeRequest, verdict: Verdict): Judgement {
  const { type } = verdict
  return type === null || request.wanted.type === type
    ? judgeDecision(request, verdict)
    : refuse('REQUEST_UNKNOWN', `there is no ${type} request ${request.id}`)
}
