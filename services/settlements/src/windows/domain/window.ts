/** The states of a settlement window and of what it holds. */

export type WindowState =
  'OPEN' | 'PROCESSING' | 'CLOSED' | 'PENDING_SETTLEMENT' | 'SETTLED' | 'ABORTED' | 'FAILED'

export type ContentState = 'CLOSED' | 'PENDING_SETTLEMENT' | 'SETTLED' | 'ABORTED'

/** From the least to the most advanced; what was aborted is to be settled anew. */
const advance: readonly ContentState[] = ['ABORTED', 'CLOSED', 'PENDING_SETTLEMENT', 'SETTLED']

/** A window is as far as the least advanced of its contents; at least one. */
export function windowStateOf(contents: readonly ContentState[]): ContentState {
  const found = advance.find((state) => contents.includes(state))
  if (found === undefined) throw new Error('a closed window holds nothing')
  return found
}

/** Whether a settlement may take a content in this state. */
export function isSettleable(state: ContentState): boolean {
  return state === 'CLOSED' || state === 'ABORTED'
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
