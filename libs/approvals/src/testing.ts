/** What tests of services ask of changes that two persons make. */
import { randomUUID } from 'node:crypto'
import type { GrpcHost } from '@causeway/grpc'
import {
  approvalsService,
  present,
  type Approval,
  type ApprovalAnswer,
  type ApprovalKind,
} from '@causeway/protos'

interface RequestOptions {
  readonly requestId?: string
  readonly actor?: string
}

interface DecisionOptions {
  readonly verdict?: 'APPROVE' | 'REJECT'
  readonly actor?: string
  readonly note?: string
  readonly personsApart?: boolean
}

/** Tests must not fail because the machine is busy. */
const patient = { deadline_ms: 20_000 }

export interface ApprovalCalls {
  /** By ada, unless another maker is named. */
  request(kind: ApprovalKind, content: object, request?: RequestOptions): Promise<ApprovalAnswer>
  /** An approval by grace, unless the decision says otherwise. */
  decide(kind: ApprovalKind, requestId: string, decision?: DecisionOptions): Promise<ApprovalAnswer>
  /** Both; the answer to the decision, or the refusal of the request. */
  make(kind: ApprovalKind, content: object): Promise<ApprovalAnswer>
  pending(...kinds: readonly ApprovalKind[]): Promise<readonly Approval[]>
  /** The ids of what is pending, in pages of that size. */
  pages(limit: number): Promise<readonly (readonly string[])[]>
}

export function approvalCalls(grpc: Pick<GrpcHost, 'client'>, service: string): ApprovalCalls {
  const calls = grpc.client(approvalsService, service)
  const own: ApprovalCalls = {
    request: (kind, content, { requestId = randomUUID(), actor = 'ada' } = {}) =>
      calls.RequestApproval(
        { service, requestId, kind, contentJson: JSON.stringify(content), actor },
        patient,
      ),
    decide: (kind, requestId, decision = {}) => {
      const { verdict = 'APPROVE', actor = 'grace', note, personsApart = false } = decision
      const request = { service, requestId, kinds: [kind], verdict, actor, personsApart }
      const message = { ...request, ...present({ note }) }
      return calls.DecideApproval(message, patient)
    },
    async make(kind, content) {
      const made = await own.request(kind, content)
      return made.approval ? own.decide(kind, made.approval.requestId) : made
    },
    async pending(...kinds) {
      const page = { service, kinds: [...kinds], limit: 1_000 }
      return (await calls.ListApprovals(page)).approvals
    },
    async pages(limit) {
      const pages: (readonly string[])[] = []
      let at: { readonly cursor?: string } = {}
      do {
        const page = await calls.ListApprovals({ service, kinds: [], limit, ...at })
        pages.push(page.approvals.map(({ requestId }) => requestId))
        at = page.cursor === undefined ? {} : { cursor: page.cursor }
      } while (at.cursor !== undefined)
      return pages
    },
  }
  return own
}

/** The reason of a refusal, or the state of the request. */
export function wordOf({ refusal, approval }: ApprovalAnswer): string {
  return refusal?.reason ?? approval?.state ?? 'no answer'
}
