/** The states of a settlement window and of what it holds. */

export type WindowState =
  'OPEN' | 'PROCESSING' | 'CLOSED' | 'PENDING_SETTLEMENT' | 'SETTLED' | 'ABORTED'

export type ContentState = 'CLOSED' | 'PENDING_SETTLEMENT' | 'SETTLED' | 'ABORTED'

/**
 * A window is SETTLED when all of its contents are, and PENDING_SETTLEMENT as soon as a settlement takes
 * the first of them; at least one.
 */
export function windowStateOf(contents: readonly ContentState[]): ContentState {
  if (contents.length === 0) throw new Error('a closed window has no contents')
  if (contents.every((state) => state === 'SETTLED')) return 'SETTLED'
  if (contents.includes('PENDING_SETTLEMENT') || contents.includes('SETTLED')) {
    return 'PENDING_SETTLEMENT'
  }
  return contents.includes('ABORTED') ? 'ABORTED' : 'CLOSED'
}

/** What a window has of one account under one model: as the ledger counted it, or as lines come to. */
export interface Tally {
  readonly modelId: number
  readonly accountId: number
  readonly net: bigint
  readonly count: bigint
}

/** How many movements the lines still lack; `null`: they hold something that the ledger has not. */
export function missingOf(counted: readonly Tally[], heard: readonly Tally[]): bigint | null {
  const place = ({ modelId, accountId }: Tally) => `${modelId}/${accountId}`
  const left = new Map(heard.map((tally) => [place(tally), tally]))
  let missing = 0n
  for (const tally of counted) {
    const own = left.get(place(tally))
    left.delete(place(tally))
    const lacks = tally.count - (own?.count ?? 0n)
    if (lacks < 0n || (lacks === 0n && own?.net !== tally.net)) return null
    missing += lacks
  }
  return left.size === 0 ? missing : null
}
