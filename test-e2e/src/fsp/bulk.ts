/**
 * Messages of a bulk transfer as FSPs write them, and the patterns that tests match received
 * messages with.
 */
import { randomUUID } from 'node:crypto'
import type { Fsp, Received } from './fsp.ts'
import { newTransfer, type NamedFsp, type Transfer } from './transfer.ts'

export interface Bulk {
  readonly bulkTransferId: string
  readonly items: readonly Transfer[]
  /** The body of POST /bulkTransfers. */
  readonly request: BulkRequest
}

export interface BulkRequest {
  readonly bulkTransferId: string
  readonly bulkQuoteId: string
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly individualTransfers: readonly {
    readonly transferId: string
    readonly ilpPacket: string
    readonly condition: string
  }[]
  readonly expiration: string
}

export interface BulkOutcome {
  readonly bulkTransferState: string
  readonly completedTimestamp?: string
  readonly individualTransferResults?: readonly {
    readonly transferId: string
    readonly fulfilment?: string
    readonly errorInformation?: { readonly errorCode: string }
  }[]
}

export function newBulk(
  payer: NamedFsp,
  payee: NamedFsp,
  amounts: readonly string[],
  { expires_ms = 30_000 }: { readonly expires_ms?: number } = {},
): Bulk {
  const items = amounts.map((amount) => newTransfer(payer, payee, { amount, expires_ms }))
  return bulkOf(payer, payee, items, expires_ms)
}

export function bulkOf(
  payer: NamedFsp,
  payee: NamedFsp,
  items: readonly Transfer[],
  expires_ms: number,
): Bulk {
  const bulkTransferId = randomUUID()
  return {
    bulkTransferId,
    items,
    request: {
      bulkTransferId,
      bulkQuoteId: randomUUID(),
      payerFsp: payer.name,
      payeeFsp: payee.name,
      individualTransfers: items.map(({ request }) => ({
        transferId: request.transferId,
        transferAmount: request.amount,
        ilpPacket: request.ilpPacket,
        condition: request.condition,
      })),
      expiration: new Date(Date.now() + expires_ms).toISOString(),
    },
  }
}

/** A bulk quote with the id and the number of items that the bulk names, accepted by the payee FSP. */
export async function quoted({ request }: Bulk, payer: Fsp, payee: Fsp): Promise<void> {
  const { bulkQuoteId, individualTransfers } = request
  const partyOf = ({ name }: Fsp, partyIdentifier: string) => ({
    partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier, fspId: name },
  })
  const body = {
    bulkQuoteId,
    payer: partyOf(payer, '987654321'),
    individualQuotes: individualTransfers.map(({ transferId }) => ({
      quoteId: transferId,
      transactionId: transferId,
      payee: partyOf(payee, '123456789'),
      amountType: 'SEND',
      amount: { currency: 'USD', amount: '1' },
      transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'BUSINESS' },
    })),
  }
  await payer.send('POST', '/bulkQuotes', body, { 'fspiop-destination': payee.name })
  await payee.await(
    ({ path, json }) =>
      path === '/bulkQuotes' && (json() as { bulkQuoteId: string }).bulkQuoteId === bulkQuoteId,
  )
  const answer = {
    individualQuoteResults: individualTransfers.map(({ transferId, ilpPacket, condition }) => ({
      quoteId: transferId,
      transferAmount: { currency: 'USD', amount: '1' },
      ilpPacket,
      condition,
    })),
    expiration: new Date(Date.now() + 600_000).toISOString(),
  }
  const path = `/bulkQuotes/${bulkQuoteId}`
  await payee.send('PUT', path, answer, { 'fspiop-destination': payer.name })
  await payer.await((message) => message.method === 'PUT' && message.path === path)
}

/** The payee FSP's answer that it has paid these items. */
export function paid(items: readonly Transfer[], bulkTransferState = 'COMPLETED') {
  return {
    completedTimestamp: new Date().toISOString(),
    bulkTransferState,
    individualTransferResults: items.map(({ transferId, fulfilment }) => ({
      transferId,
      fulfilment,
    })),
  }
}

/** A message of this method about this bulk; `/error` with `error`. */
export function aboutBulk(bulkTransferId: string, method: string, error = false) {
  const own = `/bulkTransfers/${bulkTransferId}${error ? '/error' : ''}`
  const path = method === 'POST' ? '/bulkTransfers' : own
  return (message: Received) =>
    message.method === method &&
    message.path === path &&
    (method !== 'POST' || (message.json() as BulkRequest).bulkTransferId === bulkTransferId)
}

/** `paid` or the error code of each item, in order, with the ids left out. */
export function resultsIn(message: Received): readonly string[] {
  const { individualTransferResults = [] } = message.json() as BulkOutcome
  return individualTransferResults.map(({ fulfilment, errorInformation }) =>
    fulfilment === undefined ? (errorInformation?.errorCode ?? 'nothing') : 'paid',
  )
}
