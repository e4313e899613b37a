/** Collects the data of one payment: one call to each service, for the data that it owns. */
import { decodePacket, readTransaction, type Transaction } from '@causeway/fspiop'
import type {
  Delivery,
  LedgerRecord,
  QuoteRecord,
  RequestedQuote,
  ThirdPartyRecord,
  TransferRecord,
} from '@causeway/protos'
import type { Upstream } from '../upstream.ts'

export interface PaymentFacts {
  readonly transfer: TransferRecord
  readonly ledger: LedgerRecord
  /** The transaction in the ILP packet; undefined when it cannot be read. */
  readonly transaction: Transaction | undefined
  /** undefined when the hub has no such quote. */
  readonly quote: QuoteRecord | undefined
  /** undefined when no PISP began it. */
  readonly thirdParty: ThirdPartyRecord | undefined
  readonly deliveries: readonly Delivery[]
}

/** A PISP's request without a transfer. */
export interface RequestFacts {
  readonly thirdParty: ThirdPartyRecord
  /** The last one; undefined when the hub knows of none. */
  readonly quote: QuoteRecord | undefined
  readonly deliveries: readonly Delivery[]
}

type PaymentSources = Pick<
  Upstream,
  'transfers' | 'ledger' | 'quotes' | 'thirdParties' | 'notifications'
>

const asked_max = 200

/** undefined: transfers has no such id. */
export async function readFacts(
  asked: PaymentSources,
  transferId: string,
): Promise<PaymentFacts | undefined> {
  const { transfers, ledger, quotes } = asked
  const [{ record }, entry] = await Promise.all([
    transfers.GetTransferRecord({ id: transferId }),
    ledger.GetLedgerRecord({ id: transferId }),
  ])
  if (record === null) return undefined
  const transaction = transactionOf(record)
  const [quote, thirdParty] = await Promise.all([
    quoteOf(quotes, transaction),
    thirdPartyOf(asked, record, transaction),
  ])
  const deliveries = await deliveriesOf(asked, {
    notificationIds: [...record.deliveries, ...(quote?.deliveries ?? [])].map(
      ({ notificationId }) => notificationId,
    ),
    entityIds: [transferId, ...entitiesOf(quote, thirdParty), ...bulkOf(record)],
    fspIds: [...fspsOf(record), ...fspsOfRequest(thirdParty)],
  })
  return { transfer: record, ledger: entry, transaction, quote, thirdParty, deliveries }
}

/**
 * The transfer of the request with its data, or the data that exists; undefined: there is no such
 * request.
 */
export async function readRequestFacts(
  asked: PaymentSources,
  transactionRequestId: string,
): Promise<PaymentFacts | RequestFacts | undefined> {
  const { thirdParties, quotes } = asked
  const [{ record }, { quotes: requested }] = await Promise.all([
    thirdParties.GetThirdPartyTransaction({ transactionRequestId }),
    quotes.FindRequestedQuotes({ transactionRequestIds: [transactionRequestId], conditions: [] }),
  ])
  if (!record?.summary) return undefined
  const { dfspId } = record.summary
  const own = requested.filter(({ payerFsp }) => payerFsp === dfspId)
  const transferId = await transferOf(asked, own)
  const facts = transferId === undefined ? undefined : await readFacts(asked, transferId)
  if (facts !== undefined) return { ...facts, thirdParty: record }
  const last = own.at(-1)
  const quote =
    last === undefined
      ? undefined
      : ((await quotes.GetQuoteRecord({ id: last.id })).record ?? undefined)
  const deliveries = await deliveriesOf(asked, {
    notificationIds: quote?.deliveries.map(({ notificationId }) => notificationId) ?? [],
    entityIds: entitiesOf(quote, record),
    fspIds: [...fspsOfRequest(record), ...(quote?.payeeFsp === undefined ? [] : [quote.payeeFsp])],
  })
  return { thirdParty: record, quote, deliveries }
}

/** The last one: where a quote was paid twice, the story of the first shows the fault. */
async function transferOf(
  { transfers }: PaymentSources,
  quotes: readonly RequestedQuote[],
): Promise<string | undefined> {
  const found = await Promise.all(
    quotes.flatMap(({ payerFsp, condition }) =>
      condition === undefined ? [] : [transfers.FindTransfersOfCondition({ payerFsp, condition })],
    ),
  )
  return found.flatMap(({ ids }) => ids).at(-1)
}

/**
 * Found by its quote, which names the request, or by the transaction that its DFSP has named to the
 * PISP.
 */
async function thirdPartyOf(
  { quotes, thirdParties }: PaymentSources,
  { condition, summary }: TransferRecord,
  transaction: Transaction | undefined,
): Promise<ThirdPartyRecord | undefined> {
  const dfspId = summary?.payerFsp ?? ''
  const found = await quotes.FindRequestedQuotes({
    transactionRequestIds: [],
    conditions: [condition],
  })
  const quote = found.quotes.findLast(({ payerFsp }) => payerFsp === dfspId)
  const transactionRequestId = quote?.transactionRequestId
  if (transactionRequestId === undefined && transaction === undefined) return undefined
  const { record } = await thirdParties.GetThirdPartyTransaction(
    transactionRequestId === undefined
      ? { transaction: { transactionId: transaction?.transactionId ?? '', dfspId } }
      : { transactionRequestId },
  )
  // A request of another FSP with that id is not the one of this payment.
  return record?.summary?.dfspId === dfspId ? record : undefined
}

interface DeliveriesAsked {
  readonly notificationIds: readonly string[]
  readonly entityIds: readonly string[]
  readonly fspIds: readonly string[]
}

export async function deliveriesOf(
  { notifications }: Pick<Upstream, 'notifications'>,
  { notificationIds, entityIds, fspIds }: DeliveriesAsked,
): Promise<readonly Delivery[]> {
  const { deliveries } = await notifications.GetDeliveries({
    notificationIds: notificationIds.slice(0, asked_max),
    entityIds: [...new Set(entityIds)].slice(0, asked_max),
    fspIds: [...new Set(fspIds)].slice(0, asked_max),
  })
  return deliveries
}

function entitiesOf(
  quote: QuoteRecord | undefined,
  thirdParty: ThirdPartyRecord | undefined,
): readonly string[] {
  return [
    ...(quote === undefined ? [] : [quote.bulkQuoteId ?? quote.id]),
    ...(thirdParty?.steps.map(({ subjectId }) => subjectId) ?? []),
  ]
}

function fspsOfRequest(thirdParty: ThirdPartyRecord | undefined): readonly string[] {
  const { summary } = thirdParty ?? {}
  return summary ? [summary.pispId, summary.dfspId] : []
}

async function quoteOf(
  quotes: Upstream['quotes'],
  transaction: Transaction | undefined,
): Promise<QuoteRecord | undefined> {
  if (transaction === undefined) return undefined
  const { record } = await quotes.GetQuoteRecord({ id: transaction.quoteId })
  // A quote of another FSP with that id is not the one of this payment.
  return record?.transactionId === transaction.transactionId ? record : undefined
}

function transactionOf({ messages }: TransferRecord): Transaction | undefined {
  const request = bodyOf(messages.find(({ kind }) => kind === 'PREPARE')?.body)
  const packet = request['ilpPacket']
  const decoded = typeof packet === 'string' ? decodePacket(packet) : undefined
  const reading = decoded && readTransaction(decoded.data)
  return reading?.ok === true ? reading.value : undefined
}

/** A body as it was received; no members when it was not stored. */
export function bodyOf(body: Buffer | undefined): Readonly<Record<string, unknown>> {
  if (body === undefined || body.length === 0) return {}
  try {
    const read: unknown = JSON.parse(body.toString('utf8'))
    return typeof read === 'object' && read !== null ? { ...read } : {}
  } catch {
    return {}
  }
}

/** Items are notified with their bulk. */
function bulkOf({ bulkTransferId }: TransferRecord): string[] {
  return bulkTransferId === undefined ? [] : [bulkTransferId]
}

function fspsOf({ summary, refusedMessages }: TransferRecord): string[] {
  const strangers = refusedMessages.map(({ fspId }) => fspId)
  return [...(summary === null ? [] : [summary.payerFsp, summary.payeeFsp]), ...strangers]
}
