/** Committed transfers are counted while a velocity rule holds; without one nothing is stored. */
import type { DomainEvent } from '@causeway/events'
import { parseAmount } from '@causeway/money'
import type { RuleBook } from '../rules/book.ts'
import type { Payment, VelocityStore } from './store.ts'

export type CommittedEvent = DomainEvent<'TransferCommittedFulfiled'>

export interface CountParts {
  readonly velocity: VelocityStore
  readonly rules: RuleBook
  readonly now: () => Date
}

export async function count(
  { velocity, rules, now }: CountParts,
  events: readonly CommittedEvent[],
): Promise<void> {
  if (events.length === 0 || !rules.needsVelocity()) return
  await velocity.count(events.map(paymentOf), now())
}

function paymentOf({ payload }: CommittedEvent): Payment {
  const { transferId, payerFsp, amount, fulfiledAt } = payload
  const units = parseAmount(amount.amount)
  if (units === undefined) throw new Error(`${transferId} has no amount`)
  const committed_ms = Date.parse(fulfiledAt)
  return { transferId, payerFsp, currency: amount.currency, amount: units, committed_ms }
}
