/**
 * The line of an interchange fee, made of the ledger's entry: the same whether the window closes or a
 * report needs it first.
 */
import { parseDecimal } from '@causeway/money'
import type { LedgerEntry } from '@causeway/protos'
import type { Line } from './line.ts'

function amountOf({ id, amount }: LedgerEntry): bigint {
  const units = parseDecimal(amount)
  if (units === undefined)
    throw new Error(`the ledger returned the fee ${id} with the invalid amount '${amount}'`)
  return units
}

/** @param accounts by `model/currency/participant` */
export function feeLine(entry: LedgerEntry, accounts: ReadonlyMap<string, number>): Line {
  const { settlementModelId: modelId, currency, payerFsp, payeeFsp } = entry
  const accountOf = (fsp: string) => accounts.get(`${modelId}/${currency}/${fsp}`) ?? null
  return {
    windowId: entry.windowId,
    transferId: entry.id.replace(/^fee-/, ''),
    kind: 'FEE',
    state: 'COMMITTED',
    reason: '',
    payerFsp,
    payeeFsp,
    amount: amountOf(entry),
    currency,
    modelId,
    payerAccountId: accountOf(payerFsp),
    payeeAccountId: accountOf(payeeFsp),
    completedTimestamp: entry.completedAt,
    finalisedAt: entry.completedAt,
    isBulkItem: false,
    duration_ms: null,
  }
}
