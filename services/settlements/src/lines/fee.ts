/**
 * The line of an interchange fee, made of the ledger's entry: the same whether the window closes or a
 * report needs it first.
 */
import { parseDecimal } from '@causeway/money'
import type { LedgerEntry } from '@causeway/protos'
import type { Line } from './line.ts'

/** @param accounts by `model/currency/participant` */
export function feeLine(entry: LedgerEntry, accounts: ReadonlyMap<string, number>): Line {
  const { settlementModelId: modelId, windowId, currency, payerFsp, payeeFsp, completedAt } = entry
  const amount = parseDecimal(entry.amount ?? '')
  if (
    modelId === undefined ||
    windowId === undefined ||
    amount === undefined ||
    currency === undefined ||
    payerFsp === undefined ||
    payeeFsp === undefined ||
    completedAt === undefined
  ) {
    throw new Error(`the ledger returned the fee ${entry.id} without some of its terms`)
  }
  const accountOf = (fsp: string) => accounts.get(`${modelId}/${currency}/${fsp}`) ?? null
  return {
    windowId,
    transferId: entry.id.replace(/^fee-/, ''),
    kind: 'FEE',
    state: 'COMMITTED',
    reason: '',
    payerFsp,
    payeeFsp,
    amount,
    currency,
    modelId,
    payerAccountId: accountOf(payerFsp),
    payeeAccountId: accountOf(payeeFsp),
    completedTimestamp: completedAt,
    finalisedAt: completedAt,
    isBulkItem: false,
    duration_ms: null,
  }
}
