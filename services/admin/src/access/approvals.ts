/**
 * Approvals: with FOUR_EYES=required nobody decides about whom a password was shared with; and those
 * that an operator must sign with a security key: the signature is used once, by the
 * approval of the request that it names. (auth-service, AUTH_SERVICE_FIDO_REQUIRED=approval)
 */
import { z } from 'zod'
import type { Answer, Refused } from '../answer.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import type { GuardedOperation } from './privileges.ts'

const approval = z.object({ decision: z.literal('APPROVE'), requestId: z.string() })

type Needed = Pick<Deps, 'logIns' | 'operationRequests' | 'settings' | 'fourEyes'>

/** Wraps each `/Approve…` operation; the others are unchanged. */
export function withApprovalRules(
  deps: Needed,
  operations: readonly GuardedOperation[],
): readonly GuardedOperation[] {
  return withSignedApprovals(deps, deps.fourEyes ? withPersonsApart(deps, operations) : operations)
}

function withSignedApprovals(
  deps: Needed,
  operations: readonly GuardedOperation[],
): readonly GuardedOperation[] {
  // Without log-in no caller has a key.
  if (deps.settings.OPERATOR_IDENTITY === 'none') return operations
  return operations.map((operation) =>
    operation.path.startsWith('/Approve') ? signed(deps, operation) : operation,
  )
}

function signed({ logIns }: Needed, operation: GuardedOperation): GuardedOperation {
  const { about } = operation
  return {
    ...operation,
    about: { ...about, refuses: [...(about.refuses ?? []), 'KEY_REQUIRED'] },
    async run(call) {
      const { data } = approval.safeParse(call.body)
      if (data !== undefined) {
        const transaction = { operator: call.actor, transactionId: data.requestId }
        const { refusal } = await logIns.UseAuthorization(transaction)
        if (refusal) return refusedUpstream(refusal)
      }
      return operation.run(call)
    },
  }
}

/** Its list of pending requests is the nearest one before it in the table. */
function withPersonsApart(
  deps: Needed,
  operations: readonly GuardedOperation[],
): readonly GuardedOperation[] {
  let pending: GuardedOperation | undefined
  return operations.map((operation) => {
    if (operation.path.startsWith('/GetPending')) pending = operation
    return operation.path.startsWith('/Approve') && pending !== undefined
      ? apart(deps, operation, pending)
      : operation
  })
}

function apart(
  { operationRequests }: Needed,
  operation: GuardedOperation,
  pending: GuardedOperation,
): GuardedOperation {
  return {
    ...operation,
    async run(call) {
      const { data } = approval.safeParse(call.body)
      const maker = data && (await makerOf(pending, call, data.requestId))
      if (maker === undefined) return operation.run(call)
      if (typeof maker !== 'string') return maker
      const { refusal } = await operationRequests.CheckApprover({ maker, actor: call.actor })
      return refusal ? refusedUpstream(refusal) : operation.run(call)
    },
  }
}

const requests = z.array(z.object({ requestId: z.string(), createdBy: z.string() }))

/** Undefined: no such request is pending, which the operation refuses. */
async function makerOf(
  pending: GuardedOperation,
  call: Parameters<GuardedOperation['run']>[0],
  requestId: string,
): Promise<string | Refused | undefined> {
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? {} : { cursor }
    const answer: Answer = await pending.run({ ...call, query, body: undefined })
    if (answer.outcome !== 'answered') return answer.outcome === 'refused' ? answer : undefined
    const found = requests.parse(answer.body).find((one) => one.requestId === requestId)
    if (found !== undefined) return found.createdBy
    cursor = answer.next === '' ? undefined : answer.next
  } while (cursor !== undefined)
  return undefined
}
