/** A request for other values, and who may decide it. */
import {
  judgeDecision,
  refuse,
  type ApprovalDecision,
  type ApprovalRequest,
  type Judgement,
} from '@causeway/services'
import type { NewValue } from './configuration.ts'

export const requestTypes = ['ConfigurationValues'] as const

export type RequestType = (typeof requestTypes)[number]

export interface ChangeRequest extends ApprovalRequest {
  readonly type: RequestType
  readonly contextId: string
  readonly schemaVersion: string
  readonly iterationNumber: number
  readonly newValues: readonly NewValue[]
}

export interface Verdict extends ApprovalDecision {
  /** The type that the request must have. */
  readonly type: string
}

export function judge(request: ChangeRequest, verdict: Verdict): Judgement {
  return request.type === verdict.type
    ? judgeDecision(request, verdict)
    : refuse('REQUEST_UNKNOWN', `there is no ${verdict.type} request ${request.id}`)
}
