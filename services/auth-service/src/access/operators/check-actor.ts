/**
 * Whether a call is for the operator whom it names: by the operator's own token, or by that of the one who
 * has just approved the operator's request for exactly this call.
 */
import { requestById } from '@causeway/approvals'
import type { OperatorCheck, OperatorClaim } from '@causeway/grpc'
import { operatorCaller, proofNeedOf } from '@causeway/services'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { readOperation } from '../operations/kind.ts'
import { operationOutcome } from '../operations/store.ts'
import { checkToken, type SessionParts } from './sessions.ts'

/** An approved request runs at once. */
const run_ms_max = 60_000

/** A claim as a service passes it on. */
export type PassedClaim = Pick<OperatorClaim, 'actor' | 'approver'> & {
  readonly call: string | undefined
  readonly token: string
  readonly requestId: string | undefined
}

/** Undefined: the claim holds. */
export async function checkActor(
  parts: SessionParts,
  { actor, approver, call, token: accessToken, requestId }: PassedClaim,
  now: Date,
): Promise<RefusedCommand | undefined> {
  const token = await checkToken(parts, accessToken, now)
  if (token === undefined) return refuse('TOKEN_INVALID', 'the token is not valid')
  const { name } = token
  const fault = refuse('TOKEN_INVALID', `the token is that of ${name}`)
  if (approver !== undefined && approver !== name) return fault
  if (actor === undefined || actor === name) return undefined
  if (requestId === undefined) return fault
  const request = await requestById(parts.db, requestId)
  const runsNow =
    request?.kind === 'Operation' &&
    request.state === 'APPROVED' &&
    request.createdBy === actor &&
    request.decidedBy === name &&
    now.getTime() - (request.decidedAt?.getTime() ?? 0) < run_ms_max &&
    (await operationOutcome(parts.db, requestId)) === undefined
  if (!runsNow) return fault
  return readOperation(request.content).callHash === call
    ? undefined
    : refuse('TOKEN_INVALID', `${requestId} is for another call`)
}

/** For calls of this service itself. */
export function ownOperatorCheck(parts: SessionParts): OperatorCheck {
  return {
    caller: operatorCaller,
    needOf: proofNeedOf,
    async faultOf({ proof, ...claim }) {
      if (proof === undefined) return 'there is no token'
      const { token, requestId } = proof
      return (await checkActor(parts, { ...claim, token, requestId }, new Date()))?.detail
    },
  }
}
