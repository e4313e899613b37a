/**
 * What a settlement step moves in the ledger. Net recipients are debited at RESERVED, net senders
 * credited at COMMITTED, so that an amount cannot be spent before it is paid.
 */
import type { NetAccount, AccountState, AccountChange } from './settlement.ts'
import { hasReached } from './settlement.ts'

/** The part of a settlement model that determines its movements. */
export interface Rules {
  readonly granularity: 'GROSS' | 'NET'
  readonly interchange: 'BILATERAL' | 'MULTILATERAL'
  readonly ledgerAccountType: string
  readonly settlementAccountType: string
  readonly autoPositionReset: boolean
  /** Whether a net sender's amount is no cover until its funds out are recorded. */
  readonly excludesUnpaid: boolean
}

export interface Movement {
  /** Unique within the settlement; the id of the ledger's entry derives from both. */
  readonly name: string
  readonly debit: AccountRef
  readonly credit: AccountRef
  readonly amount: bigint
  readonly currency: string
  readonly awaitsFundsOut: boolean
}

/** Null: the hub. */
export interface AccountRef {
  readonly participant: string | null
  readonly type: string
}

/** The hub's account that the money of a settlement passes through. */
const hubTransit: AccountRef = { participant: null, type: 'HUB_MULTILATERAL_SETTLEMENT' }

/** What one participant owes another one over all windows of the settlement; above zero. */
export interface Pair {
  readonly payer: NetAccount
  readonly payee: NetAccount
  readonly amount: bigint
}

/** A transfer that is settled individually. */
export interface GrossLine {
  readonly windowId: number
  readonly transferId: string
  readonly kind: string
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly amount: bigint
  readonly currency: string
}

/** An account with its step. */
export interface Stepping {
  readonly account: NetAccount
  readonly change: AccountChange
}

export function steppingOf(
  accounts: readonly NetAccount[],
  changes: readonly AccountChange[],
): readonly Stepping[] {
  const byId = new Map(accounts.map((account) => [account.accountId, account]))
  return changes.flatMap((change) => {
    const account = byId.get(change.accountId)
    return account === undefined || account.state === change.state ? [] : [{ account, change }]
  })
}

/** Net and multilateral: against the hub, or against the settlement account of the model. */
export function netMovements(rules: Rules, stepping: readonly Stepping[]): readonly Movement[] {
  if (!rules.autoPositionReset) return []
  return stepping.flatMap(({ account, change }) => {
    const { net } = account
    if (change.state === 'PS_TRANSFERS_RESERVED' && net < 0n) {
      return [fromRecipient(rules, account, `RESERVED/${account.accountId}`)]
    }
    if (change.state === 'PS_TRANSFERS_COMMITTED' && net > 0n) {
      return [fromSender(rules, account)]
    }
    return change.state === 'ABORTED' && net < 0n && isReserved(account.state)
      ? [turned(fromRecipient(rules, account, `ABORTED/${account.accountId}`))]
      : []
  })
}

function isReserved(state: AccountState): boolean {
  return state !== 'ABORTED' && hasReached(state, 'PS_TRANSFERS_RESERVED')
}

function fromRecipient(rules: Rules, account: NetAccount, name: string): Movement {
  const { participant, currency, net } = account
  return {
    name,
    debit: { participant, type: rules.ledgerAccountType },
    credit: contraOf(rules, participant),
    amount: -net,
    currency,
    awaitsFundsOut: false,
  }
}

function fromSender(rules: Rules, account: NetAccount): Movement {
  const { accountId, participant, currency, net } = account
  return {
    name: `COMMITTED/${accountId}`,
    debit: contraOf(rules, participant),
    credit: { participant, type: rules.ledgerAccountType },
    amount: net,
    currency,
    awaitsFundsOut: paysByFundsOut(rules),
  }
}

/**
 * Models that settle to SETTLEMENT are paid through the hub's bank; the operator records the
 * payments as funds.
 */
function contraOf({ settlementAccountType: type }: Rules, participant: string): AccountRef {
  return type === 'SETTLEMENT' ? hubTransit : { participant, type }
}

function paysByFundsOut({ settlementAccountType, excludesUnpaid }: Rules): boolean {
  return settlementAccountType === 'SETTLEMENT' && excludesUnpaid
}

function turned(movement: Movement): Movement {
  return { ...movement, debit: movement.credit, credit: movement.debit }
}

/**
 * Net and bilateral: each pair is moved between its two accounts when the debtor is committed. The
 * debtor's net over all pairs awaits funds out, and no more: a pair that exceeds it is moved in two
 * parts.
 */
export function pairMovements(
  rules: Rules,
  stepping: readonly Stepping[],
  pairs: readonly Pair[],
): readonly Movement[] {
  if (!rules.autoPositionReset) return []
  const committing = committingIn(stepping)
  const unpaid = new Map<number, bigint>()
  return pairs
    .filter(({ payer }) => committing.has(payer.accountId))
    .flatMap(({ payer, payee, amount }) => {
      const left = paysByFundsOut(rules) ? (unpaid.get(payer.accountId) ?? payer.net) : 0n
      const awaiting = left <= 0n ? 0n : left < amount ? left : amount
      unpaid.set(payer.accountId, left - awaiting)
      const name = `COMMITTED/${payer.accountId}/${payee.accountId}`
      const both = {
        debit: { participant: payee.participant, type: rules.ledgerAccountType },
        credit: { participant: payer.participant, type: rules.ledgerAccountType },
        currency: payer.currency,
      }
      const parts = [
        { ...both, name, amount: awaiting, awaitsFundsOut: true },
        { ...both, name: `${name}/BALANCED`, amount: amount - awaiting, awaitsFundsOut: false },
      ]
      return parts.filter((part) => part.amount > 0n)
    })
}

/** The accounts that this step commits: their gross transfers or pairs as payer are moved. */
export function committingIn(stepping: readonly Stepping[]): ReadonlySet<number> {
  return new Set(
    stepping
      .filter(({ change }) => change.state === 'PS_TRANSFERS_COMMITTED')
      .map(({ account }) => account.accountId),
  )
}

/** The movements of one gross line, at most. */
export const grossMovements_max = 3

/**
 * Gross: reverses both positions and moves the settlement accounts. Multilateral: the money goes through
 * the hub's account, whose value is the same afterwards.
 */
export function grossMovements(rules: Rules, line: GrossLine): readonly Movement[] {
  const { windowId, transferId, kind, payerFsp, payeeFsp, amount, currency } = line
  const { ledgerAccountType: ledger, settlementAccountType: settlement } = rules
  const name = `GROSS/${windowId}/${kind}/${transferId}`
  const each = { amount, currency, awaitsFundsOut: false }
  const sideOf = (participant: string) => ({
    position: { participant, type: ledger },
    money: { participant, type: settlement },
  })
  const [payer, payee] = [sideOf(payerFsp), sideOf(payeeFsp)]
  if (rules.interchange === 'MULTILATERAL') {
    return [
      { ...each, name: `${name}/PAYER`, debit: payer.money, credit: hubTransit },
      { ...each, name: `${name}/PAYEE`, debit: hubTransit, credit: payee.money },
      { ...each, name: `${name}/POSITIONS`, debit: payee.position, credit: payer.position },
    ]
  }
  return [
    { ...each, name: `${name}/PAYER`, debit: payer.money, credit: payer.position },
    { ...each, name: `${name}/PAYEE`, debit: payee.position, credit: payee.money },
  ]
}
