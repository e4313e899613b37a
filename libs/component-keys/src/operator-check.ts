/**
 * Whether a call of the administration API is for the operator whom it names: auth-service checks the
 * operator's token. Control of that API alone does not make a second person.
 */
import type { GrpcHost, OperatorCheck } from '@causeway/grpc'
import { operatorsService } from '@causeway/protos'

export function operatorCheck(grpc: Pick<GrpcHost, 'client'>): OperatorCheck {
  const { CheckActor } = grpc.client(operatorsService, 'auth-service')
  return {
    caller: 'admin',
    async faultOf({ actor, proof }) {
      if (proof === undefined) return 'there is no token'
      const { token: accessToken, requestId } = proof
      const claim = requestId === undefined ? {} : { requestId }
      const { refusal } = await CheckActor({ actor, accessToken, ...claim })
      return refusal?.detail
    },
  }
}
