/** The transaction of a payment request, from its quote until its transfer is accepted. */
import type { IncomingTransfer, PayeeDecision, PayeeOutcome } from '../transfers/outcome.ts'

export interface Transactions {
  /** A request has one transaction: that of its last quote. */
  add(requestId: string, transactionId: string): void
  decided(transfer: IncomingTransfer, decision: PayeeDecision): void
  settled(outcome: PayeeOutcome): void
  forget(requestId: string): void
}

export function openTransactions(
  onPaid: (requestId: string, transactionId: string, transferId: string) => void,
): Transactions {
  const byRequest = new Map<string, { readonly id: string; reservedBy: string | undefined }>()
  const requestOf = new Map<string, string>()
  /** Requests by the transfers that wait for the hub's confirmation. */
  const reserved = new Map<string, string>()

  function forget(requestId: string): void {
    const transaction = byRequest.get(requestId)
    if (transaction === undefined) return
    byRequest.delete(requestId)
    requestOf.delete(transaction.id)
    if (transaction.reservedBy !== undefined) reserved.delete(transaction.reservedBy)
  }

  return {
    add(requestId, id) {
      if (requestOf.has(id)) return
      forget(requestId)
      byRequest.set(requestId, { id, reservedBy: undefined })
      requestOf.set(id, requestId)
    },
    decided({ transferId, transaction }, { type }) {
      const requestId = transaction && requestOf.get(transaction.transactionId)
      const known = requestId === undefined ? undefined : byRequest.get(requestId)
      if (requestId === undefined || known === undefined) return
      if (type === 'COMMIT') onPaid(requestId, known.id, transferId)
      if (type !== 'RESERVE') return
      known.reservedBy = transferId
      reserved.set(transferId, requestId)
    },
    settled({ transferId, state }) {
      const requestId = reserved.get(transferId)
      reserved.delete(transferId)
      const known = requestId === undefined ? undefined : byRequest.get(requestId)
      if (requestId === undefined || known === undefined) return
      if (state === 'COMMITTED') onPaid(requestId, known.id, transferId)
    },
    forget,
  }
}
