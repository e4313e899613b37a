/** Pings of FSPs and the outcomes of the hub's pings: the latest report of each applies. */

export interface Ping {
  readonly participant: string
  /** Chosen by the FSP, so unique only among its own pings. */
  readonly pingId: string
  readonly version: string
  /** mtls, token or header. */
  readonly identity: string
  /** The key that verified the signature; null if signatures are not verified. */
  readonly kid: string | null
  readonly receivedAt: Date
}

export interface Callback {
  readonly participant: string
  readonly pingId: string
  readonly status: 'SUCCESS' | 'FAILED'
  /** null: no error. */
  readonly error: string | null
  readonly reportedAt: Date
}

export interface LastPing extends Ping {
  readonly callbackStatus: 'SUCCESS' | 'FAILED' | null
  readonly callbackError: string | null
  readonly callbackAt: Date | null
}

/** The latest entry per ping, in the order of keys. */
export function newest<One extends { readonly participant: string; readonly pingId: string }>(
  all: readonly One[],
  timeOf: (one: One) => Date,
): readonly One[] {
  const found = new Map<string, One>()
  for (const one of all) {
    const key = JSON.stringify([one.participant, one.pingId])
    const other = found.get(key)
    if (other === undefined || timeOf(other) < timeOf(one)) found.set(key, one)
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}
