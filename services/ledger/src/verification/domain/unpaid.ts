/**
 * Recomputes what settlements left to be paid by funds out, from the first batch: the debts of each
 * batch, and how funds out were held and ended. The result must match the accounts.
 */

/** What the ledger did about one account, in the order of the batches. */
export type UnpaidEvent = {
  readonly accountId: number
  readonly batch: bigint
  readonly amount: bigint
} & (
  | { readonly type: 'DEBT' }
  | { readonly type: 'RESERVE' | 'POST' | 'VOID'; readonly entryId: string }
)

export interface Unpaid {
  readonly unpaid: bigint
  /** The batch in which the first of it arose; 0: nothing is unpaid, or unknown. */
  readonly since: bigint
}

interface State {
  unpaid: bigint
  since: bigint
  readonly held: Map<string, { readonly amount: bigint; readonly batch: bigint }>
}

/** Of each account. */
export function unpaidOf(events: readonly UnpaidEvent[]): ReadonlyMap<number, Unpaid> {
  const states = new Map<number, State>()
  for (const event of events) {
    const known = states.get(event.accountId)
    const state = known ?? { unpaid: 0n, since: 0n, held: new Map() }
    if (known === undefined) states.set(event.accountId, state)
    if (event.type === 'DEBT') owe(state, event)
    else if (event.type === 'RESERVE') state.held.set(event.entryId, event)
    else end(state, event)
  }
  return states
}

/**
 * Funds out that are held when the first debt arises serve another purpose: they are added to it.
 */
function owe(state: State, debt: Extract<UnpaidEvent, { readonly type: 'DEBT' }>): void {
  const { amount, batch } = debt
  if (state.unpaid === 0n) {
    state.since = batch
    for (const held of state.held.values()) state.unpaid += held.amount
  }
  state.unpaid += amount
}

/**
 * Committed funds out pay the debt. Of aborted ones, only those held before it, and so included in
 * it, reduce it.
 */
function end(state: State, ended: Exclude<UnpaidEvent, { readonly type: 'DEBT' }>): void {
  const held = state.held.get(ended.entryId)
  state.held.delete(ended.entryId)
  if (ended.type === 'VOID' && (held === undefined || held.batch >= state.since)) return
  state.unpaid = state.unpaid > ended.amount ? state.unpaid - ended.amount : 0n
  if (state.unpaid === 0n) state.since = 0n
}
