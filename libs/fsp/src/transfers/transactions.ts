/**
 * What the payee FSP knows of a transaction, for the payer FSP that asks with GET /transactions/{ID}: the
 * state of its last transfer. A transaction whose transfer has not come is unknown. FSPIOP 6.8.
 */
import type { PutTransactions } from '@causeway/fspiop'

export interface Transactions {
  /** A transfer of the transaction has come. */
  add(transferId: string, transactionId: string, payerFsp: string): void
  set(transferId: string, state: PutTransactions['transactionState']): void
  forget(transferId: string): void
  /** Undefined for everybody but its payer FSP. */
  tell(transactionId: string, askerFsp: string): PutTransactions | undefined
}

interface Known {
  readonly transactionId: string
  readonly payerFsp: string
  told: PutTransactions
}

export function openTransactions(): Transactions {
  const byTransfer = new Map<string, Known>()
  const last = new Map<string, Known>()
  return {
    add(transferId, transactionId, payerFsp) {
      const known: Known = { transactionId, payerFsp, told: { transactionState: 'RECEIVED' } }
      byTransfer.set(transferId, known)
      last.set(transactionId, known)
    },
    set(transferId, transactionState) {
      const known = byTransfer.get(transferId)
      if (known === undefined || known.told.transactionState === transactionState) return
      known.told =
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
    tell(transactionId, askerFsp) {
      const known = last.get(transactionId)
      return known?.payerFsp === askerFsp ? known.told : undefined
    },
  }
}
