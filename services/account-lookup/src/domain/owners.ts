/** The owners of a party, as a lookup finds them. */

/** The result of looking up one party. */
export type Owners =
  /** At least one, active or not, the oldest association first. */
  { readonly type: 'FOUND'; readonly fspIds: readonly string[] } | { readonly type: OwnersMissing }

export type OwnersMissing =
  | 'PARTY_UNKNOWN'
  /** No oracle is registered for parties of this type. */
  | 'ORACLE_MISSING'
  /** The oracle does not answer, or its answer is not valid. */
  | 'ORACLE_AWAY'
  /** Its circuit is open: it has not answered for a while. */
  | 'ORACLE_TRIPPED'
