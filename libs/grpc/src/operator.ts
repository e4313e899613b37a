/**
 * Proof of the operator for whom a call is made: the operator's token goes along with the call, and the
 * service that changes something, or uses a secret, has it checked, so that the caller cannot name any other.
 * The token of an approver proves the maker of the approved request for one call alone, by its hash.
 */
import { createHash } from 'node:crypto'
import { choice, workContext } from '@causeway/process'
import type { Metadata } from '@grpc/grpc-js'
import type { MethodDefinition } from './definition.ts'

/** The setting of each process that is called with the names of operators. */
export const operatorProof = choice({
  about:
    "whether services have the operator's token checked that comes with each call that changes something " +
    'or uses a secret key; off: they believe the name that admin gives, as it must be with ' +
    'OPERATOR_IDENTITY=none',
  options: ['required', 'off'],
  default: 'required',
})

export interface OperatorProof {
  readonly token: string
  /** The request that this operator has approved, where the call is in the name of its maker. */
  readonly requestId?: string
  /** `hashOfCall` of the change that the request is for; no other one is made. */
  readonly call?: string
}

/** Who a call says that it is for, and the proof of it. */
export interface OperatorClaim {
  /** Undefined: the call names none, and any operator may make it. */
  readonly actor: string | undefined
  /** The second person whom the call names; undefined: none. */
  readonly approver: string | undefined
  /** `hashOfCall` of it. */
  readonly call: string
  readonly proof: OperatorProof | undefined
}

export type ProofNeed = 'ALWAYS' | 'WHERE_NAMED' | 'NEVER'

export interface OperatorCheck {
  /** The service whose calls need a proof; others act by themselves. */
  readonly caller: string
  /** @param path of the method, `/causeway.transfers.v1.Transfers/ErasePerson` */
  readonly needOf: (path: string) => ProofNeed
  /** Why the claim does not hold; undefined: it does. Rejects while it cannot be checked. */
  readonly faultOf: (claim: OperatorClaim) => Promise<string | undefined>
}

const tokenHeader = 'x-operator-token'
const requestHeader = 'x-operation-request'
/** Members of requests that name who acts; the first one that is there counts. */
const members = ['actor', 'createdBy', 'changedBy', 'erasedBy', 'operator'] as const

interface Work extends OperatorProof {
  readonly isRehearsal?: true
}

const works = workContext<Work | undefined>()

/** Each call that the work makes carries the proof. */
export function asOperator<Result>(
  proof: OperatorProof,
  work: () => Promise<Result>,
): Promise<Result> {
  return works.run(proof, work)
}

/** The work of a service that is called in the same process: it acts by itself. */
export function asItself<Result>(work: () => Promise<Result>): Promise<Result> {
  return works.current() === undefined ? work() : works.run(undefined, work)
}

/** A change that is not made, because it was only rehearsed. */
class Rehearsed extends Error {
  readonly call: string

  constructor(call: string) {
    super('a change was rehearsed')
    this.call = call
  }
}

/** A change that is not made, because it is not the one that was approved. */
export class NotApproved extends Error {
  constructor(path: string) {
    super(`${path} is not the approved call`)
  }
}

/**
 * Runs the work up to its first change, which is not made. Questions are asked, with the proof of the work
 * around it.
 * @returns `hashOfCall` of that change, or the result of work that ends without one
 */
export async function rehearse<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly call: string } | { readonly result: Result }> {
  try {
    return { result: await works.run({ token: '', ...works.current(), isRehearsal: true }, work) }
  } catch (error) {
    if (error instanceof Rehearsed) return { call: error.call }
    throw error
  }
}

/** Whether the caller is part of a rehearsal, which must leave no trace. */
export function isRehearsal(): boolean {
  return works.current()?.isRehearsal === true
}

/** Why the work must not make this change; undefined: it may. */
export function faultOfChange(method: MethodDefinition, request: object): Error | undefined {
  const work = works.current()
  if (work === undefined) return undefined
  if (work.isRehearsal) return new Rehearsed(hashOfCall(method, request))
  if (work.call === undefined || work.call === hashOfCall(method, request)) return undefined
  return new NotApproved(method.path)
}

/**
 * Stands for the method and the content of a call; the same on both sides. The approver is not known when
 * the maker asks, and is no part of it.
 */
function hashOfCall(method: MethodDefinition, request: object): string {
  const { path, requestSerialize, requestDeserialize } = method
  const content = { ...requestDeserialize(requestSerialize(request)), approver: undefined }
  return createHash('sha256').update(`${path}\n`).update(requestSerialize(content)).digest('hex')
}

export function withOperator(metadata: Metadata): Metadata {
  const proof = works.current()
  if (proof === undefined || proof.token === '') return metadata
  const all = metadata.clone()
  all.set(tokenHeader, proof.token)
  if (proof.requestId !== undefined) all.set(requestHeader, proof.requestId)
  return all
}

/** Undefined for a call that needs no proof. */
export function claimIn(
  need: ProofNeed,
  method: MethodDefinition,
  request: object,
  metadata: Metadata,
): OperatorClaim | undefined {
  if (need === 'NEVER') return undefined
  const named = request as Readonly<Record<string, unknown>>
  const textOf = (member: string) => {
    const value = named[member]
    return typeof value === 'string' ? value : undefined
  }
  const actor = members.map(textOf).find((name) => name !== undefined)
  if (need === 'WHERE_NAMED' && actor === undefined) return undefined
  const call = hashOfCall(method, request)
  return { actor, approver: textOf('approver'), call, proof: proofIn(metadata) }
}

function proofIn(metadata: Metadata): OperatorProof | undefined {
  const [token] = metadata.get(tokenHeader)
  if (token === undefined) return undefined
  const [requestId] = metadata.get(requestHeader)
  const approval = requestId === undefined ? {} : { requestId: String(requestId) }
  return { token: String(token), ...approval }
}
