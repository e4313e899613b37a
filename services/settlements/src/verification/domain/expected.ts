/**
 * The entries that the ledger must have posted for a settlement, derived from its states by the
 * rules that its steps use.
 */
import {
  netMovements,
  pairMovements,
  type Movement,
  type Pair,
  type AccountRef,
  type Rules,
  type Stepping,
} from '../../settlements/domain/movements.ts'
import {
  hasReached,
  type NetAccount,
  type AccountState,
  type AccountChange,
} from '../../settlements/domain/settlement.ts'

/** Movements that sum to one amount between two accounts. */
export interface Expected {
  /** The names of the movements: each may be missing, their amounts must sum to the whole. */
  readonly names: readonly string[]
  readonly debit: AccountRef
  readonly credit: AccountRef
  readonly amount: bigint
  readonly currency: string
  /** MAYBE: an open step may or may not have posted it. */
  readonly presence: 'MUST' | 'MAYBE'
}

type SteppedState = 'PS_TRANSFERS_RESERVED' | 'PS_TRANSFERS_COMMITTED'

/** The steps to this state that the accounts have taken, as they were taken. */
export function stepsTo(accounts: readonly NetAccount[], state: SteppedState): readonly Stepping[] {
  return accounts
    .filter((account) => account.state !== 'ABORTED' && hasReached(account.state, state))
    .map((account) => steppingTo(account, state))
}

function steppingTo(account: NetAccount, state: AccountState): Stepping {
  const { accountId } = account
  return { account, change: { accountId, state, reason: '', externalReference: '' } }
}

/** For a net multilateral model, without aborted accounts. */
export function expectedNets(rules: Rules, accounts: readonly NetAccount[]): readonly Expected[] {
  return (['PS_TRANSFERS_RESERVED', 'PS_TRANSFERS_COMMITTED'] as const).flatMap((state) =>
    netMovements(rules, stepsTo(accounts, state)).map((movement) => alone(movement, 'MUST')),
  )
}

/** The reservation of an account that was aborted later, and its reversal: both or neither. */
export function abortedPairs(
  rules: Rules,
  accounts: readonly NetAccount[],
): readonly (readonly [Expected, Expected])[] {
  return accounts
    .filter(({ state }) => state === 'ABORTED')
    .flatMap((account) => {
      const [there] = netMovements(rules, [steppingTo(account, 'PS_TRANSFERS_RESERVED')])
      const reserved = { ...account, state: 'PS_TRANSFERS_RESERVED' } as const
      const [back] = netMovements(rules, [steppingTo(reserved, 'ABORTED')])
      return there === undefined || back === undefined
        ? []
        : [[alone(there, 'MAYBE'), alone(back, 'MAYBE')] as const]
    })
}

/**
 * For a bilateral model. A setting at the time of the step decides in how many parts a pair was
 * moved, so the parts are summed.
 */
export function expectedPairs(
  rules: Rules,
  stepping: readonly Stepping[],
  pairs: readonly Pair[],
  presence: Expected['presence'],
): readonly Expected[] {
  return pairMovements({ ...rules, excludesUnpaid: false }, stepping, pairs).map((movement) => {
    const { name, debit, credit, amount, currency } = movement
    const whole = name.replace(/\/BALANCED$/, '')
    return { names: [whole, `${whole}/BALANCED`], debit, credit, amount, currency, presence }
  })
}

/** What an open step moves in addition to the states. */
export function changing(
  accounts: readonly NetAccount[],
  changes: readonly AccountChange[],
): readonly Stepping[] {
  const byId = new Map(changes.map((change) => [change.accountId, change]))
  return accounts.flatMap((account) => {
    const change = byId.get(account.accountId)
    return change === undefined || change.state === account.state ? [] : [{ account, change }]
  })
}

export function alone(movement: Movement, presence: Expected['presence']): Expected {
  const { name, debit, credit, amount, currency } = movement
  return { names: [name], debit, credit, amount, currency, presence }
}
