/** Calls between services, over mutual TLS or within one process. */
export { GrpcCallError } from './call-error.ts'
export {
  type CallOptions,
  type Calls,
  type HandledCall,
  type Handlers,
  isQuestion,
  nameOf,
  type OutgoingCall,
  type UnaryHandler,
} from './definition.ts'
export { type GrpcHost, type OpenGrpcHost, openGrpcHost } from './host.ts'
export { type GrpcCertificates, type Renewable, renewable } from './identity.ts'
export {
  asOperator,
  isRehearsal,
  NotApproved,
  type OperatorCheck,
  type OperatorClaim,
  operatorProof,
  type ProofNeed,
  rehearse,
} from './operator.ts'
export { targetOf } from './target.ts'
