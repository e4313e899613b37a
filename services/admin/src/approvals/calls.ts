/** Requests for approval, and their decisions, at the services that make the changes. */
import { randomUUID } from 'node:crypto'
import type { Approval, ApprovalKind } from '@causeway/protos'
import { approvalKinds } from '@causeway/services'
import { z } from 'zod'
import { answered, type OperationResult, type RefusedOperation } from '../answer.ts'
import type { Reason } from '../contract.ts'
import { correlationId } from '../fields.ts'
import type { Json } from '../json.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { requestBody } from './shown.ts'

/** A new endpoint is tested before it is approved, and the ledger may be busy. */
const deadline_ms = 10_000

/** Why any request may be refused. */
export const ofRequest: readonly Reason[] = [
  'REQUEST_PENDING',
  'REQUESTS_FULL',
  'BUSY',
  'MODIFIED',
  'INVALID',
]

/** Why any decision may be refused. */
export const ofDecision: readonly Reason[] = [
  'REQUEST_UNKNOWN',
  'REQUEST_DECIDED',
  'REQUEST_EXPIRED',
  'SAME_PERSON',
  'PRIVILEGE_MISSING',
  'STALE',
  'INVALID',
]

/** The decision of another person. */
export const verdict = z.strictObject({
  requestId: correlationId,
  decision: z.enum(['APPROVE', 'REJECT']),
  note: z
    .string()
    .max(1_024)
    .regex(/^[^\0]*$/)
    .optional(),
})

type DecisionBody = z.infer<typeof verdict>

/** @param requestId undefined: a new one */
export async function requestApproval(
  deps: Deps,
  kind: ApprovalKind,
  content: Json,
  {
    requestId = randomUUID(),
    actor,
  }: { readonly requestId?: string | undefined; readonly actor: string },
): Promise<OperationResult> {
  const { service } = approvalKinds[kind]
  const contentJson = JSON.stringify(content)
  const { approval, refusal } = await deps.approvals[service].RequestApproval(
    { service, requestId, kind, contentJson, actor },
    { deadline_ms },
  )
  if (refusal) return refusedUpstream(refusal)
  if (!approval) throw new Error('a request was answered with neither approval nor refusal')
  return answered(202, requestBody(approval))
}

export interface DecidedApproval {
  readonly outcome: 'decided'
  readonly approval: Approval
  /** This decision has approved it. */
  readonly isApprovedNow: boolean
}

/** @param kinds of one service; the request must be of one of them */
export async function decideApproval(
  deps: Deps,
  kinds: readonly [ApprovalKind, ...ApprovalKind[]],
  { requestId, decision, note }: DecisionBody,
  actor: string,
): Promise<DecidedApproval | RefusedOperation> {
  const { service } = approvalKinds[kinds[0]]
  const { approval, refusal, isApprovedNow } = await deps.approvals[service].DecideApproval(
    {
      service,
      requestId,
      kinds: [...kinds],
      verdict: decision,
      ...(note === undefined || note === '' ? {} : { note }),
      actor,
      personsApart: deps.fourEyes,
    },
    { deadline_ms },
  )
  if (refusal) return refusedUpstream(refusal)
  if (!approval) throw new Error('a decision was answered with neither approval nor refusal')
  return { outcome: 'decided', approval, isApprovedNow }
}
