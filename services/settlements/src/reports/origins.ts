/**
 * The transaction request that preceded a transfer of a report, and the PISP that made it. Three
 * calls per page: the condition leads from a transfer to its quote, and the quote names the
 * request. If one of the three services is unavailable, the rows say so.
 */
import type { Calls } from '@causeway/grpc'
import { isOutage, type Logger } from '@causeway/process'
import type {
  quotesService,
  RequestedQuote,
  thirdPartyTransactionsService,
  transfersService,
  TransferRow,
} from '@causeway/protos'

export interface Origins {
  readonly transfers: Pick<Calls<typeof transfersService>, 'GetTransferStates'>
  readonly quotes: Pick<Calls<typeof quotesService>, 'FindRequestedQuotes'>
  readonly thirdParties: Pick<
    Calls<typeof thirdPartyTransactionsService>,
    'FindThirdPartyTransactions'
  >
}

/** Rows whose origin is unknown because of an outage are marked `originUnavailable`. */
export async function withOrigins(
  origins: Origins,
  log: Logger,
  rows: readonly TransferRow[],
): Promise<TransferRow[]> {
  const ids = [...new Set(rows.filter(isTransfer).map(({ transferId }) => transferId))]
  if (ids.length === 0) return [...rows]
  try {
    return await origined(origins, ids, rows)
  } catch (error) {
    if (!isOutage(error)) throw error
    log.warn({ err: error }, 'a report lacks the transaction requests of its transfers')
    return rows.map((row) => ({ ...row, originUnavailable: isTransfer(row) }))
  }
}

async function origined(
  { transfers, quotes, thirdParties }: Origins,
  ids: string[],
  rows: readonly TransferRow[],
): Promise<TransferRow[]> {
  const { transfers: states } = await transfers.GetTransferStates({ ids })
  const conditions = [...new Set(states.map(({ condition }) => condition))]
  const { quotes: requested } = await quotes.FindRequestedQuotes({
    transactionRequestIds: [],
    conditions,
  })
  if (requested.length === 0) return [...rows]
  const { transactions } = await thirdParties.FindThirdPartyTransactions({
    transactionRequestIds: requested.map(({ transactionRequestId }) => transactionRequestId),
  })
  const byCondition = new Map(requested.map((quote) => [keyOf(quote), quote]))
  const stateOf = new Map(states.map((state) => [state.id, state]))
  const begunBy = new Map(transactions.map((one) => [one.transactionRequestId, one]))
  return rows.map((row) => {
    const state = isTransfer(row) ? stateOf.get(row.transferId) : undefined
    const quote = state && byCondition.get(keyOf(state))
    if (quote === undefined) return row
    const { transactionRequestId } = quote
    const begun = begunBy.get(transactionRequestId)
    // The id may belong to a transaction at another DFSP.
    const ofPisp = begun?.dfspId === row.payerFsp ? { pispFsp: begun.pispId } : {}
    return { ...row, transactionRequestId, ...ofPisp }
  })
}

/** A payee FSP may use one condition for several payers. */
function keyOf({ payerFsp, condition = '' }: Pick<RequestedQuote, 'payerFsp' | 'condition'>) {
  return `${payerFsp} ${condition}`
}

function isTransfer({ kind }: TransferRow): boolean {
  return kind === 'TRANSFER'
}
