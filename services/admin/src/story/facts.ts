/** What the services know of one payment, gathered: each is asked once, for what it owns. */
import { decodePacket, readTransaction, type Transaction } from '@causeway/fspiop'
import type { Delivery, LedgerRecord, QuoteRecord, TransferRecord } from '@causeway/protos'
import type { Upstream } from '../upstream.ts'

export interface PaymentFacts {
  readonly transfer: TransferRecord
  readonly ledger: LedgerRecord
  /** What both FSPs agreed on, from the ILP packet; undefined when it cannot be read. */
  readonly transaction: Transaction | undefined
  /** undefined when the hub has no such quote. */
  readonly quote: QuoteRecord | undefined
  readonly deliveries: readonly Delivery[]
}

type Asked = Pick<Upstream, 'transfers' | 'ledger' | 'quotes' | 'notifications'>

/** undefined: transfers has never taken this id. */
export async function readFacts(
  { transfers, ledger, quotes, notifications }: Asked,
  transferId: string,
): Promise<PaymentFacts | undefined> {
  const [{ record }, entry] = await Promise.all([
    transfers.GetTransferRecord({ id: transferId }),
    ledger.GetLedgerRecord({ id: transferId }),
  ])
  if (record === null) return undefined
  const transaction = transactionOf(record)
  const quote = await quoteOf(quotes, transaction)
  const { deliveries } = await notifications.GetDeliveries({
    notificationIds: [...record.deliveries, ...(quote?.deliveries ?? [])].map(
      ({ notificationId }) => notificationId,
    ),
    entityIds: quote === undefined ? [transferId] : [transferId, quote.id],
    fspIds: fspsOf(record),
  })
  return { transfer: record, ledger: entry, transaction, quote, deliveries }
}

async function quoteOf(
  quotes: Upstream['quotes'],
  transaction: Transaction | undefined,
): Promise<QuoteRecord | undefined> {
  if (transaction === undefined) return undefined
  const { record } = await quotes.GetQuoteRecord({ id: transaction.quoteId })
  // Somebody else's quote under that id is not the one behind this payment.
  return record?.transactionId === transaction.transactionId ? record : undefined
}

function transactionOf({ messages }: TransferRecord): Transaction | undefined {
  const request = bodyOf(messages.find(({ kind }) => kind === 'PREPARE')?.body)
  const packet = request['ilpPacket']
  const decoded = typeof packet === 'string' ? decodePacket(packet) : undefined
  const reading = decoded && readTransaction(decoded.data)
  return reading?.ok === true ? reading.value : undefined
}

/** A body as it was received; no members when it was not kept. */
export function bodyOf(body: Buffer | undefined): Readonly<Record<string, unknown>> {
  if (body === undefined || body.length === 0) return {}
  try {
    const read: unknown = JSON.parse(body.toString('utf8'))
    return typeof read === 'object' && read !== null ? { ...read } : {}
  } catch {
    return {}
  }
}

function fspsOf({ summary, refusedMessages }: TransferRecord): string[] {
  const strangers = refusedMessages.map(({ fspId }) => fspId)
  return [...new Set([summary?.payerFsp ?? '', summary?.payeeFsp ?? '', ...strangers])]
}
