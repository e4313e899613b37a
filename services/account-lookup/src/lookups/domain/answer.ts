/** Decides how to answer a query about a party, given the owners that the lookup found. */
import type { Owners } from '../../domain/owners.ts'

/** Owners, or the fact that parties of this type cannot be queried. */
export type Findings = Owners | { readonly type: 'TYPE_NOT_ASKED' }

/** Whether the hub can send a request to an FSP now. */
export type Reachability =
  | 'REACHABLE'
  /** Active, without an address for the request. */
  | 'NO_ADDRESS'
  /** Not an active participant. */
  | 'INACTIVE'

/** Why the hub answers a query with an error. */
export type QueryReason = Exclude<Findings['type'], 'FOUND'> | 'FSP_INACTIVE' | 'NO_ADDRESS'

export interface QueryRefused {
  readonly type: 'REFUSED'
  readonly reason: QueryReason
}

/** GET /parties: forwarded to every reachable owner. */
export type ForwardDecision =
  | { readonly type: 'FORWARD'; readonly fspIds: readonly string[] }
  | QueryRefused

/** GET /participants: the answer names one owner. */
export type OwnerDecision = { readonly type: 'OWNER'; readonly fspId: string } | QueryRefused

export function decideForwarding(
  findings: Findings,
  reachabilityOf: (fspId: string) => Reachability,
): ForwardDecision {
  if (findings.type !== 'FOUND') return refused(findings.type)
  const reachabilities = findings.fspIds.map((fspId) => ({
    fspId,
    reachability: reachabilityOf(fspId),
  }))
  const reachable = reachabilities.filter(({ reachability }) => reachability === 'REACHABLE')
  if (reachable.length > 0) return { type: 'FORWARD', fspIds: reachable.map(({ fspId }) => fspId) }
  const isActive = reachabilities.some(({ reachability }) => reachability === 'NO_ADDRESS')
  return refused(isActive ? 'NO_ADDRESS' : 'FSP_INACTIVE')
}

/** The first active owner; it needs no address. */
export function decideOwner(
  findings: Findings,
  isActive: (fspId: string) => boolean,
): OwnerDecision {
  if (findings.type !== 'FOUND') return refused(findings.type)
  const fspId = findings.fspIds.find(isActive)
  return fspId === undefined ? refused('FSP_INACTIVE') : { type: 'OWNER', fspId }
}

function refused(reason: QueryReason): QueryRefused {
  return { type: 'REFUSED', reason }
}
