/** Events of bulk quotes as the edge would send them, for tests, with the bodies that FSPs would send. */
import { randomUUID } from 'node:crypto'
import type {
  BulkQueryEvent,
  BulkRejectEvent,
  BulkRequestEvent,
  BulkResponseEvent,
} from '../bulk-quotes/contract.ts'
import type { ConsumedBulkEvent } from '../bulk-quotes/handle.ts'
import { hashOf, payee, payer, started } from './messages.ts'

export type BulkItem = BulkRequestEvent['payload']['individualQuotes'][number]
export type BulkResult = BulkResponseEvent['payload']['individualQuoteResults'][number]

const usd = (amount: string) => ({ currency: 'USD', amount })

function envelope(body: object | undefined, headers: object = { date: 'today' }) {
  const relay = body && {
    body: Buffer.from(JSON.stringify(body)),
    headers: Buffer.from(JSON.stringify(headers)),
  }
  return { id: randomUUID(), time: started, maybeDuplicate: false, relay, traceparent: undefined }
}

export function bulkItem(quoteId: string, changes: Partial<BulkItem> = {}): BulkItem {
  return {
    quoteId,
    transactionId: '3f1c2a90-5b7e-4d21-9c44-0a6be2f1d7c5',
    partyIdType: 'MSISDN',
    partyIdentifier: '123456789',
    amountType: 'SEND',
    amount: usd('99'),
    scenario: 'TRANSFER',
    ...changes,
  }
}

interface RequestChanges extends Partial<Omit<BulkRequestEvent['payload'], 'individualQuotes'>> {
  readonly headers?: object
}

/** The body has of each item the id and a note. */
export function bulkRequestEvent(
  bulkQuoteId: string,
  items: readonly BulkItem[],
  { headers, ...changes }: RequestChanges = {},
): BulkRequestEvent {
  const body = {
    bulkQuoteId,
    individualQuotes: items.map(({ quoteId }) => ({ quoteId, note: `of ${quoteId}` })),
    more: 'kept',
  }
  return {
    ...envelope(body, headers),
    name: 'BulkQuoteRequestReceived',
    payload: {
      bulkQuoteId,
      requesterFspId: payer,
      destinationFspId: payee,
      expiration: '2026-01-15T12:01:00.000Z',
      individualQuotes: [...items],
      payloadHash: hashOf(JSON.stringify([body, changes])),
      version: '1.0',
      ...changes,
    },
  }
}

/** The same request, with the payees' FSP left for the hub to find. */
export function bulkWithoutDestination(event: BulkRequestEvent): BulkRequestEvent {
  const { destinationFspId: _, ...payload } = event.payload
  return { ...event, payload }
}

export function bulkResult(quoteId: string, changes: Partial<BulkResult> = {}): BulkResult {
  return { quoteId, transferAmount: usd('99'), payeeFspFee: usd('1'), ...changes }
}

interface ResponseChanges extends Partial<
  Omit<BulkResponseEvent['payload'], 'individualQuoteResults'>
> {
  readonly headers?: object
  readonly time?: string
}

export function bulkResponseEvent(
  bulkQuoteId: string,
  results: readonly BulkResult[],
  { headers, time = started, ...changes }: ResponseChanges = {},
): BulkResponseEvent {
  const expiration = '2026-01-15T12:05:00.000Z'
  const individualQuoteResults = results.map(({ quoteId, errorInformation }) =>
    errorInformation === undefined ? { quoteId, condition: 'c' } : { quoteId, errorInformation },
  )
  const body = { individualQuoteResults, expiration, more: 'kept' }
  return {
    ...envelope(body, headers),
    time,
    name: 'BulkQuoteResponseReceived',
    payload: {
      bulkQuoteId,
      requesterFspId: payee,
      destinationFspId: payer,
      individualQuoteResults: [...results],
      expiration,
      payloadHash: hashOf(JSON.stringify([body, changes])),
      version: '1.1',
      ...changes,
    },
  }
}

export function bulkRejectEvent(
  bulkQuoteId: string,
  changes: Partial<BulkRejectEvent['payload']> = {},
): BulkRejectEvent {
  const errorInformation = { errorCode: '5103', errorDescription: 'Payee FSP rejected quote' }
  return {
    ...envelope({ errorInformation }),
    name: 'BulkQuoteRejectReceived',
    payload: {
      bulkQuoteId,
      requesterFspId: payee,
      destinationFspId: payer,
      errorInformation,
      payloadHash: hashOf(`reject ${JSON.stringify(changes)}`),
      version: '1.1',
      ...changes,
    },
  }
}

export function bulkQueryEvent(bulkQuoteId: string, requesterFspId: string): BulkQueryEvent {
  return {
    ...envelope({}),
    name: 'BulkQuoteQueryReceived',
    payload: { bulkQuoteId, requesterFspId, version: '1.0' },
  }
}

/** A POST /bulkQuotes that could not be delivered. */
export function bulkUnreachedReport(bulkQuoteId: string, reportedAt = started): ConsumedBulkEvent {
  const report = {
    notificationId: randomUUID(),
    entityId: bulkQuoteId,
    legRole: 'PAYEE' as const,
    destinationFspId: payee,
    status: 'FAILED' as const,
    attempts: 3,
    duration_ms: 5,
    lastError: 'refused',
    reportedAt,
  }
  return {
    ...envelope(undefined),
    name: 'BulkQuoteReceivedCallbackReport',
    payload: { reports: [report] },
  }
}
