/** The states of a settlement window and of its contents. */

import type { WindowContentState } from '@causeway/protos'

/**
 * A window is SETTLED when all of its contents are, and PENDING_SETTLEMENT as soon as a settlement
 * takes the first of them; at least one.
 */
export function windowStateOf(contents: readonly WindowContentState[]): WindowContentState {
  if (contents.length === 0) throw new Error('a closed window has no contents')
  if (contents.every((state) => state === 'SETTLED')) return 'SETTLED'
  if (contents.includes('PENDING_SETTLEMENT') || contents.includes('SETTLED')) {
    return 'PENDING_SETTLEMENT'
  }
  return contents.includes('ABORTED') ? 'ABORTED' : 'CLOSED'
}

/** The net of one account under one model: counted by the ledger, or summed from lines. */
export interface Tally {
  readonly modelId: number
  readonly accountId: number
  readonly net: bigint
  readonly count: bigint
}

/**
 * The number of missing movements; `null`: the lines hold something that the ledger has not
 * counted.
 */
export function missingOf(counted: readonly Tally[], recorded: readonly Tally[]): bigint | null {
  const key = ({ modelId, accountId }: Tally) => `${modelId}/${accountId}`
  const left = new Map(recorded.map((tally) => [key(tally), tally]))
  let missing = 0n
  for (const tally of counted) {
    const own = left.get(key(tally))
    left.delete(key(tally))
    const lacks = tally.count - (own?.count ?? 0n)
    if (lacks < 0n || (lacks === 0n && own?.net !== tally.net)) return null
    missing += lacks
  }
  return left.size === 0 ? missing : null
}
