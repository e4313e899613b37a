/**
 * The authentication code of a payment request, or of a payee FSP's refusal: HMAC with SHA-256 over
 * everything that decides about money, made by the edge when it has verified the FSP's message, and checked
 * before money is reserved or released. What a request gets on its way, such as its settlement model, is not
 * part of it. A fulfilment needs none: it proves itself by the condition.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { Payload } from '@causeway/events'

export type PaymentRequest =
  | Payload<'TransferPrepareRequested'>
  | Payload<'BulkTransferPrepareRequested'>
  | Payload<'TransferRejectRequested'>
  | Payload<'BulkTransferRejectRequested'>

/** The events of the edge that carry one. */
export const authenticatedEvents: ReadonlySet<string> = new Set([
  'TransferPrepareRequested',
  'BulkTransferPrepareRequested',
  'TransferRejectRequested',
  'BulkTransferRejectRequested',
])

export function requestMac(key: KeyObject, request: PaymentRequest): Buffer {
  return createHmac('sha256', key).update(contentOf(request)).digest()
}

/** @param keys any of them is enough */
export function isAuthentic(
  keys: readonly KeyObject[],
  request: PaymentRequest,
  mac: Buffer | undefined,
): boolean {
  if (mac === undefined) return false
  return keys.some((key) => {
    const expected = requestMac(key, request)
    return mac.length === expected.length && timingSafeEqual(mac, expected)
  })
}

/** JSON, so that no two requests have the same text. */
function contentOf(request: PaymentRequest): string {
  if ('errorInformation' in request) return contentOfRefusal(request)
  const { payerFsp, payeeFsp, expiration, payloadHash, receivedAt, version } = request
  const terms = [payerFsp, payeeFsp, expiration, payloadHash, receivedAt, version]
  if ('transferId' in request) return JSON.stringify(['transfer', ...terms, itemOf(request)])
  const { bulkTransferId, bulkQuoteId, individualTransfers } = request
  const items = individualTransfers.map(itemOf)
  return JSON.stringify(['bulk', bulkTransferId, bulkQuoteId, ...terms, items])
}

function contentOfRefusal(
  request: Payload<'TransferRejectRequested'> | Payload<'BulkTransferRejectRequested'>,
): string {
  const { requesterFspId, destinationFspId, payloadHash, receivedAt, version } = request
  const { errorCode, errorDescription, extensionList } = request.errorInformation
  const extensions = extensionList?.extension.map(({ key, value }) => [key, value]) ?? []
  const id =
    'transferId' in request
      ? ['reject', request.transferId]
      : ['bulk reject', request.bulkTransferId]
  const sides = [requesterFspId, destinationFspId]
  const error = [errorCode, errorDescription, extensions]
  return JSON.stringify([...id, ...sides, ...error, payloadHash, receivedAt, version])
}

function itemOf({
  transferId,
  amount,
  condition,
}: Pick<Payload<'TransferPrepareRequested'>, 'transferId' | 'amount' | 'condition'>) {
  return [transferId, amount.currency, amount.amount, condition]
}
