/** Counts committed transfers while a velocity rule exists; otherwise stores nothing. */
import type { DomainEvent } from '@causeway/events'
import { parseAmount } from '@causeway/money'
import type { RuleBook } from '../rules/book.ts'
import type { CommittedPayment, VelocityStore } from './store.ts'

export const committedNames = ['TransferCommittedFulfiled', 'BulkTransferItemsEnded'] as const

export type CommittedEvent = DomainEvent<(typeof committedNames)[number]>

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
  await velocity.count(events.flatMap(paymentsOf), now())
}

function paymentsOf(event: CommittedEvent): readonly CommittedPayment[] {
  if (event.name === 'TransferCommittedFulfiled') return [paymentOf(event.payload)]
  const { payerFsp, endedAt: fulfiledAt, items } = event.payload
  return items
    .filter(({ committed }) => committed !== undefined)
    .map(({ transferId, amount }) => paymentOf({ transferId, payerFsp, amount, fulfiledAt }))
}

interface Paid {
  readonly transferId: string
  readonly payerFsp: string
  readonly amount: { readonly currency: string; readonly amount: string }
  readonly fulfiledAt: string
}

function paymentOf({ transferId, payerFsp, amount, fulfiledAt }: Paid): CommittedPayment {
  const units = parseAmount(amount.amount)
  if (units === undefined) throw new Error(`${transferId} has no amount`)
  const committed_ms = Date.parse(fulfiledAt)
  return { transferId, payerFsp, currency: amount.currency, amount: units, committed_ms }
}
