/**
 * Approvals that an operator must sign with a security key: the signature is used once, by the
 * approval of the request that it names. (auth-service, AUTH_SERVICE_FIDO_REQUIRED=approval)
 */
import { z } from 'zod'
import { refusedUpstream, type Deps } from '../upstream.ts'
import type { GuardedOperation } from './privileges.ts'

const approval = z.object({ decision: z.literal('APPROVE'), requestId: z.string() })

/** Wraps each `/Approve…` operation; the others are unchanged. */
export function withSignedApprovals(
  deps: Pick<Deps, 'logIns' | 'settings'>,
  operations: readonly GuardedOperation[],
): readonly GuardedOperation[] {
  // Without log-in no caller has a key.
  if (deps.settings.OPERATOR_IDENTITY === 'none') return operations
  return operations.map((operation) =>
    operation.path.startsWith('/Approve') ? signed(deps, operation) : operation,
  )
}

function signed({ logIns }: Pick<Deps, 'logIns'>, operation: GuardedOperation): GuardedOperation {
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
