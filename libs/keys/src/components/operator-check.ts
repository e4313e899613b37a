/**
 * Whether a call of the administration API is for the operator whom it names, and an approved one the call
 * that was approved: auth-service checks the operator's token. Control of that API alone does not make a
 * second person.
 */
import type { GrpcHost, OperatorCheck } from '@causeway/grpc'
import { operatorsService } from '@causeway/protos'
import { operatorCaller, proofNeedOf } from '@causeway/services'

export function operatorCheck(grpc: Pick<GrpcHost, 'client'>): OperatorCheck {
  const { CheckActor } = grpc.client(operatorsService, 'auth-service')
  return {
    caller: operatorCaller,
    needOf: proofNeedOf,
    async faultOf({ actor, call: callHash, proof }) {
      if (proof === undefined) return 'there is no token'
      const { token: accessToken, requestId } = proof
      const { refusal } = await CheckActor({
        ...(actor === undefined ? {} : { actor }),
        accessToken,
        ...(requestId === undefined ? {} : { requestId, callHash }),
      })
      return refusal?.detail
    },
  }
}
