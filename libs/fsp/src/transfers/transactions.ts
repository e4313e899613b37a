/**
 * The payee FSP's transactions, for the payer FSP that asks with GET /transactions/{ID}: the state
 * of the last transfer. A transaction whose transfer has not arrived is unknown. FSPIOP 6.8.
 */
import type { PutTransactions } from '@causeway/fspiop'

export interface Transactions {
  /** A transfer of the transaction was received. */
  add(transferId: string, transactionId: string, payerFsp: string): void
  set(transferId: string, state: PutTransactions['transactionState']): void
  forget(transferId: string): void
  /** Undefined for every FSP except the payer FSP. */
  stateFor(transactionId: string, askerFsp: string): PutTransactions | undefined
}

interface KnownTransaction {
  readonly transactionId: string
  readonly payerFsp: string
  body: PutTransactions
}

export function openTransactions(): Transactions {
  const byTransfer = new Map<string, KnownTransaction>()
  const last = new Map<string, KnownTransaction>()
  return {
    add(transferId, transactionId, payerFsp) {
      const known: KnownTransaction = {
        transactionId,
        payerFsp,
        body: { transactionState: 'RECEIVED' },
      }
      byTransfer.set(transferId, known)
      last.set(transactionId, known)
    },
    set(transferId, transactionState) {
      const known = byTransfer.get(transferId)
      if (known === undefined || known.body.transactionState === transactionState) return
      known.body =
        transactionState === 'COMPLETED'
          ? { completedTimestamp: new Date().toISOString(), transactionState }
          : { transactionState }
    },
    forget(transferId) {
      const known = byTransfer.get(transferId)
      if (known === undefined) return
      byTransfer.delete(transferId)
      if (last.get(known.transactionId) === known) last.delete(known.transactionId)
    },
    stateFor(transactionId, askerFsp) {
      const known = last.get(transactionId)
      return known?.payerFsp === askerFsp ? known.body : undefined
    },
  }
}
