/** Pings and what became of the hub's own: the newest of what is told about one counts. */

export interface Ping {
  readonly participant: string
  /** Made by the FSP, so unique among its own pings alone. */
  readonly pingId: string
  readonly version: string
  /** mtls, token or header. */
  readonly identity: string
  /** The key that verified; null when signatures are not verified. */
  readonly kid: string | null
  readonly receivedAt: Date
}

export interface Callback {
  readonly participant: string
  readonly pingId: string
  readonly status: 'SUCCESS' | 'FAILED'
  /** null: nothing went wrong. */
  readonly error: string | null
  readonly reportedAt: Date
}

export interface LastPing extends Ping {
  readonly callbackStatus: 'SUCCESS' | 'FAILED' | null
  readonly callbackError: string | null
  readonly callbackAt: Date | null
}

/** One for each ping, the one of the latest time, in the order of their keys. */
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
