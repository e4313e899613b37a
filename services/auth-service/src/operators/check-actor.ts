/**
 * Whether a change is for the operator whom it names: by the operator's own token, or by that of the one
 * who has just approved the operator's request.
 */
import type { OperatorCheck, OperatorProof } from '@causeway/grpc'
import { refuse, type Refused } from '../domain/refusal.ts'
import { lockOperationRequest } from '../operation-requests/store.ts'
import { checkToken, type SessionParts } from './sessions.ts'

/** An approved request runs at once. */
const run_ms_max = 60_000

export async function checkActor(
  parts: SessionParts,
  actor: string,
  { token: accessToken, requestId }: OperatorProof,
  now: Date,
): Promise<Refused | undefined> {
  const token = await checkToken(parts, accessToken, now)
  if (token === undefined) return refuse('TOKEN_INVALID', 'the token is not valid')
  if (token.name === actor) return undefined
  const fault = refuse('TOKEN_INVALID', `the token is that of ${token.name}`)
  if (requestId === undefined) return fault
  const request = await parts.db.transaction((tx) => lockOperationRequest(tx, requestId))
  const runsNow =
    request?.state === 'APPROVED' &&
    request.outcome === null &&
    request.createdBy === actor &&
    request.decidedBy === token.name &&
    now.getTime() - (request.decidedAt?.getTime() ?? 0) < run_ms_max
  return runsNow ? undefined : fault
}

/** For calls of this service itself. */
export function ownOperatorCheck(parts: SessionParts): OperatorCheck {
  return {
    caller: 'admin',
    async faultOf({ actor, proof }) {
      if (proof === undefined) return 'there is no token'
      return (await checkActor(parts, actor, proof, new Date()))?.detail
    },
  }
}
