/**
 * The authentication code of a payment request: HMAC with SHA-256 over everything that decides about
 * money, made by the edge when it has verified the payer FSP's message, and checked before money is
 * reserved. What the request gets on its way, such as its settlement model, is not part of it.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { Payload } from '@causeway/events'

export type PaymentRequest =
  | Payload<'TransferPrepareRequested'>
  | Payload<'BulkTransferPrepareRequested'>

export function requestMac(key: KeyObject, request: PaymentRequest): Buffer {
  return createHmac('sha256', key).update(contentOf(request)).digest()
}

export function isAuthentic(
  key: KeyObject,
  request: PaymentRequest,
  mac: Buffer | undefined,
): boolean {
  const expected = requestMac(key, request)
  return mac?.length === expected.length && timingSafeEqual(mac, expected)
}

/** JSON, so that no two requests have the same text. */
function contentOf(request: PaymentRequest): string {
  const { payerFsp, payeeFsp, expiration, payloadHash, receivedAt, version } = request
  const terms = [payerFsp, payeeFsp, expiration, payloadHash, receivedAt, version]
  if ('transferId' in request) return JSON.stringify(['transfer', ...terms, itemOf(request)])
  const { bulkTransferId, bulkQuoteId, individualTransfers } = request
  const items = individualTransfers.map(itemOf)
  return JSON.stringify(['bulk', bulkTransferId, bulkQuoteId, ...terms, items])
}

function itemOf({
  transferId,
  amount,
  condition,
}: Pick<Payload<'TransferPrepareRequested'>, 'transferId' | 'amount' | 'condition'>) {
  return [transferId, amount.currency, amount.amount, condition]
}
