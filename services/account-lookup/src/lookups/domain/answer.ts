/** What becomes of a question about a party, once it is known whose the party is said to be. */

/** What the lookup of one party came to. */
export type Owners =
  /** At least one, active or not, the oldest association first. */
  { readonly type: 'FOUND'; readonly fspIds: readonly string[] } | { readonly type: OwnersMissing }

export type OwnersMissing =
  | 'PARTY_UNKNOWN'
  /** Nobody answers for parties of this type. */
  | 'ORACLE_MISSING'
  /** The oracle does not answer, or not in a way that can be read. */
  | 'ORACLE_AWAY'
  /** It has not answered for a while, and is left alone for now. */
  | 'ORACLE_TRIPPED'

/** The same, or that nobody is to be asked about a party of such a type. */
export type Findings = Owners | { readonly type: 'TYPE_NOT_ASKED' }

/** How an FSP stands with the hub right now. */
export type Standing =
  | 'REACHABLE'
  /** Active, without an address for the request. */
  | 'NO_ADDRESS'
  /** No active participant. */
  | 'INACTIVE'

/** Why a question is answered by the hub with an error. */
export type QueryReason = Exclude<Findings['type'], 'FOUND'> | 'FSP_INACTIVE' | 'NO_ADDRESS'

export interface QueryRefused {
  readonly type: 'REFUSED'
  readonly reason: QueryReason
}

/** GET /parties: it goes to every owner that can be reached. */
export type Asking = { readonly type: 'ASK'; readonly fspIds: readonly string[] } | QueryRefused

/** GET /participants: one owner is told. */
export type Telling = { readonly type: 'TELL'; readonly fspId: string } | QueryRefused

export function decideAsking(findings: Findings, standingOf: (fspId: string) => Standing): Asking {
  if (findings.type !== 'FOUND') return refused(findings.type)
  const standings = findings.fspIds.map((fspId) => ({ fspId, standing: standingOf(fspId) }))
  const reachable = standings.filter(({ standing }) => standing === 'REACHABLE')
  if (reachable.length > 0) return { type: 'ASK', fspIds: reachable.map(({ fspId }) => fspId) }
  const isActive = standings.some(({ standing }) => standing === 'NO_ADDRESS')
  return refused(isActive ? 'NO_ADDRESS' : 'FSP_INACTIVE')
}

/** The first one that is active: an address is not needed to be told of. */
export function decideTelling(findings: Findings, isActive: (fspId: string) => boolean): Telling {
  if (findings.type !== 'FOUND') return refused(findings.type)
  const fspId = findings.fspIds.find(isActive)
  return fspId === undefined ? refused('FSP_INACTIVE') : { type: 'TELL', fspId }
}

function refused(reason: QueryReason): QueryRefused {
  return { type: 'REFUSED', reason }
}
