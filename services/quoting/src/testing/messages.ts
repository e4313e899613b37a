/** Events as the edge would send them, for tests: an invented payer and payee. */
import { createHash, randomUUID } from 'node:crypto'
import type { QueryEvent, RejectEvent, RequestEvent, ResponseEvent } from '../quotes/contract.ts'
import type { ConsumedEvent } from '../handle.ts'
import type { CommittedEvent } from '../velocity/count.ts'

export const payer = 'mangobank'
export const payee = 'riverwallet'
export const stranger = 'hillcredit'
export const started = '2026-01-15T12:00:00.000Z'
/** The largest amount that FSPIOP can write. */
export const largest = '999999999999999999.9999'

type ReportEvent = Extract<ConsumedEvent, { readonly name: 'QuoteReceivedCallbackReport' }>

interface Envelope {
  readonly id?: string
  readonly time?: string
}

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url')
}

export function relayOf(content: string): { body: Buffer; headers: Buffer } {
  return { body: Buffer.from(content), headers: Buffer.from('{"date":"today"}') }
}

function envelope({ id = randomUUID(), time = started }: Envelope, relayed: string | undefined) {
  const relay = relayed === undefined ? undefined : relayOf(relayed)
  return { id, time, maybeDuplicate: false, relay, traceparent: undefined }
}

export function requestEvent(
  quoteId: string,
  { id, time, ...changes }: Partial<RequestEvent['payload']> & Envelope = {},
): RequestEvent {
  return {
    ...envelope({ ...(id && { id }), ...(time && { time }) }, `request ${quoteId}`),
    name: 'QuoteRequestReceived',
    payload: {
      quoteId,
      requesterFspId: payer,
      destinationFspId: payee,
      transactionId: '3f1c2a90-5b7e-4d21-9c44-0a6be2f1d7c5',
      payee: { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '123456789' } },
      payer: { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '987654321' } },
      amountType: 'SEND',
      amount: { currency: 'USD', amount: '99' },
      transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
      expiration: '2026-01-15T12:01:00.000Z',
      payloadHash: hashOf(`request ${quoteId} ${JSON.stringify(changes)}`),
      version: '1.0',
      ...changes,
    },
  }
}

/** The same request without destination, so that the hub looks up the payee. */
export function withoutDestination(event: RequestEvent): RequestEvent {
  const { destinationFspId: _, ...payload } = event.payload
  return { ...event, payload }
}

export function withoutExpiration(event: RequestEvent): RequestEvent {
  const { expiration: _, ...payload } = event.payload
  return { ...event, payload }
}

export function responseEvent(
  quoteId: string,
  { id, time, ...changes }: Partial<ResponseEvent['payload']> & Envelope = {},
): ResponseEvent {
  const content = JSON.stringify({ response: quoteId, changes })
  return {
    ...envelope({ ...(id && { id }), ...(time && { time }) }, content),
    name: 'QuoteResponseReceived',
    payload: {
      quoteId,
      requesterFspId: payee,
      destinationFspId: payer,
      transferAmount: { currency: 'USD', amount: '99' },
      payeeFspFee: { currency: 'USD', amount: '1' },
      expiration: '2026-01-15T12:05:00.000Z',
      condition: 'GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM',
      payloadHash: hashOf(content),
      version: '1.1',
      ...changes,
    },
  }
}

export function rejectEvent(
  quoteId: string,
  { id, time, ...changes }: Partial<RejectEvent['payload']> & Envelope = {},
): RejectEvent {
  const content = `reject ${quoteId} ${JSON.stringify(changes)}`
  return {
    ...envelope({ ...(id && { id }), ...(time && { time }) }, content),
    name: 'QuoteRejectReceived',
    payload: {
      quoteId,
      requesterFspId: payee,
      destinationFspId: payer,
      errorInformation: { errorCode: '5103', errorDescription: 'Payee FSP rejected quote' },
      payloadHash: hashOf(content),
      version: '1.1',
      ...changes,
    },
  }
}

export function queryEvent(
  quoteId: string,
  requesterFspId: string,
  changes: Partial<QueryEvent['payload']> = {},
): QueryEvent {
  return {
    ...envelope({}, ''),
    name: 'QuoteQueryReceived',
    payload: { quoteId, requesterFspId, version: '1.0', ...changes },
  }
}

type DeliveryReport = ReportEvent['payload']['reports'][number]

export function reportEvent(quoteId: string, changes: Partial<DeliveryReport> = {}): ReportEvent {
  const report: DeliveryReport = {
    notificationId: randomUUID(),
    entityId: quoteId,
    legRole: 'PAYEE',
    destinationFspId: payee,
    status: 'SUCCESS',
    httpStatus: 202,
    attempts: 1,
    duration_ms: 5,
    reportedAt: started,
    ...changes,
  }
  return {
    ...envelope({}, undefined),
    name: 'QuoteReceivedCallbackReport',
    payload: { reports: [report] },
  }
}

/** The report of an undeliverable POST /quotes. */
export function unreachedReport(quoteId: string, reportedAt = started): ReportEvent {
  const unreached = { status: 'FAILED', attempts: 3, lastError: 'refused', reportedAt } as const
  const event = reportEvent(quoteId, unreached)
  const reports = event.payload.reports.map((report) => {
    const { httpStatus: _, ...unanswered } = report
    return unanswered
  })
  return { ...event, payload: { reports } }
}

export function committedEvent(
  transferId: string,
  amount: string,
  { payerFsp = payer, fulfiledAt = started, currency = 'USD' } = {},
): CommittedEvent {
  return {
    ...envelope({}, undefined),
    name: 'TransferCommittedFulfiled',
    payload: {
      transferId,
      payerFsp,
      payeeFsp: payee,
      payerVersion: '1.1',
      payeeVersion: '1.1',
      amount: { currency, amount },
      fulfilment: 'mhPUT9ZAwd-BXLfeSd7-YPh46rBWRNBiTCSWjpku90s',
      completedTimestamp: fulfiledAt,
      settlementModelId: 1,
      settles: 'NET',
      settlementWindowId: 1,
      notifyPayee: false,
      receivedAt: fulfiledAt,
      fulfiledAt,
      positions: [],
    },
  }
}
