/**
 * Any other change of the administration API (FOUR_EYES=required): it is stored as it was sent, and runs
 * when another operator approves it. The caller runs it, once.
 */
import type { ChangeKind } from '@causeway/approvals'
import { z } from 'zod'

const content = z.strictObject({
  method: z.enum(['POST', 'PUT', 'DELETE']),
  /** Of the table of routes: '/participants/:name'. */
  route: z.string().min(1).max(256),
  /** As it was sent, with its query. */
  uri: z.string().min(1).max(4_096),
  /** As it was sent; absent: none. */
  body: z.string().max(1_048_576).optional(),
  /** That its maker needs, also when it is approved. */
  privilege: z.string().min(1).max(128),
  /** Of the one gRPC call that it makes: the approval permits no other. */
  callHash: z.string().min(1).max(128),
  withdraws: z.boolean(),
})

export type OperationContent = z.infer<typeof content>

export const operationKind: ChangeKind<OperationContent> = {
  actions: { request: 'RequestOperation', decide: 'ApproveOperation' },
  content,
  privilegeOf: ({ privilege }) => privilege,
  subjectOf: (_, requestId) => `operation-requests/${requestId}`,
  auditedOf: ({ method, uri }) => ({ operation: `${method} ${uri}` }),
  turnOf: () => null,
  withdraws: ({ withdraws }) => withdraws,
  apply: () => Promise.resolve({ type: 'DONE', before: null, after: null, replaces: null }),
}

/** The content of a stored request. */
export function readOperation(json: string): OperationContent {
  return content.parse(JSON.parse(json))
}
