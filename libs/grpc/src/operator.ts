/**
 * Proof of the operator in whose name a call changes something: the operator's token goes along with the
 * call, and the service that changes something has it checked, so that the caller cannot name anybody.
 */
import { choice, workContext } from '@causeway/process'
import type { Metadata } from '@grpc/grpc-js'

/** The setting of each process that is called with the names of operators. */
export const operatorProof = choice({
  about:
    "whether services have the operator's token checked that comes with each change; off: they believe " +
    'the name that admin gives, as it must be with OPERATOR_IDENTITY=none',
  options: ['required', 'off'],
  default: 'required',
})

export interface OperatorProof {
  readonly token: string
  /** The request that this operator has approved, where the call is in the name of its maker. */
  readonly requestId?: string
}

/** Who a call says that it is for, and the proof of it. */
export interface OperatorClaim {
  readonly actor: string
  readonly proof: OperatorProof | undefined
}

export interface OperatorCheck {
  /** The service whose calls need a proof; others act by themselves. */
  readonly caller: string
  /** Why the claim does not hold; undefined: it does. Rejects while it cannot be checked. */
  readonly faultOf: (claim: OperatorClaim) => Promise<string | undefined>
}

const tokenHeader = 'x-operator-token'
const requestHeader = 'x-operation-request'
/** Members of requests that name who acts. */
const members = ['actor', 'createdBy', 'changedBy', 'operator'] as const

const proofs = workContext<OperatorProof>()

/** Each call that the work makes carries the proof. */
export function asOperator<Result>(
  proof: OperatorProof,
  work: () => Promise<Result>,
): Promise<Result> {
  return proofs.run(proof, work)
}

export function withOperator(metadata: Metadata): Metadata {
  const proof = proofs.current()
  if (proof === undefined || proof.token === '') return metadata
  const all = metadata.clone()
  all.set(tokenHeader, proof.token)
  if (proof.requestId !== undefined) all.set(requestHeader, proof.requestId)
  return all
}

/** Undefined for a request that names nobody. */
export function claimIn(request: object, metadata: Metadata): OperatorClaim | undefined {
  const named = request as Readonly<Record<string, unknown>>
  const actor = members.map((member) => named[member]).find((value) => typeof value === 'string')
  if (typeof actor !== 'string') return undefined
  const [token] = metadata.get(tokenHeader)
  if (token === undefined) return { actor, proof: undefined }
  const [requestId] = metadata.get(requestHeader)
  const approval = requestId === undefined ? {} : { requestId: String(requestId) }
  return { actor, proof: { token: String(token), ...approval } }
}
