/**
 * The authentication code of a message about money: HMAC with SHA-256 over everything that decides about it,
 * also when it was received. The edge makes it when it has verified the FSP's message; it is checked before
 * money is reserved, posted or released. What a request gets on its way, such as its settlement model, is not
 * part of it.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { Payload } from '@causeway/events'

/** Of the payer FSP: money is reserved. */
type Prepare = Payload<'TransferPrepareRequested'>
type BulkPrepare = Payload<'BulkTransferPrepareRequested'>
/** Of the payee FSP: money is posted or released. */
type Fulfil = Payload<'TransferFulfilCommittedRequested'>
type BulkFulfil = Payload<'BulkTransferFulfilRequested'>
type Reject = Payload<'TransferRejectRequested'>
type BulkReject = Payload<'BulkTransferRejectRequested'>

export type PaymentRequest = Prepare | BulkPrepare | Fulfil | BulkFulfil | Reject | BulkReject

/** The events of the edge that carry one. */
export const authenticatedEvents = [
  'TransferPrepareRequested',
  'BulkTransferPrepareRequested',
  'TransferFulfilCommittedRequested',
  'BulkTransferFulfilRequested',
  'TransferRejectRequested',
  'BulkTransferRejectRequested',
] as const

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

/** JSON, so that no two requests have the same text. A member that is absent counts as null. */
function contentOf(request: PaymentRequest): string {
  const { payloadHash, receivedAt, version } = request
  return JSON.stringify([...termsOf(request), payloadHash, receivedAt, version])
}

function termsOf(request: PaymentRequest): readonly unknown[] {
  if ('payerFsp' in request) return termsOfPrepare(request)
  const { requesterFspId, destinationFspId } = request
  const sides = [requesterFspId, destinationFspId]
  if ('errorInformation' in request) {
    const id =
      'transferId' in request
        ? ['reject', request.transferId]
        : ['bulk reject', request.bulkTransferId]
    return [...id, ...sides, errorOf(request.errorInformation)]
  }
  if ('transferId' in request) {
    const { transferId, transferState, fulfilment, notifyPayee } = request
    const { completedTimestamp, extensionList } = request
    const extensions = extensionsOf(extensionList)
    const terms = [transferState, fulfilment, completedTimestamp, notifyPayee, extensions]
    return ['fulfil', transferId, ...sides, ...terms]
  }
  const { bulkTransferId, bulkTransferState, completedTimestamp } = request
  const results = request.individualTransferResults.map(resultOf)
  return ['bulk fulfil', bulkTransferId, ...sides, bulkTransferState, completedTimestamp, results]
}

function termsOfPrepare(request: Prepare | BulkPrepare): readonly unknown[] {
  const { payerFsp, payeeFsp, expiration } = request
  const terms = [payerFsp, payeeFsp, expiration]
  if ('transferId' in request) return ['transfer', ...terms, itemOf(request)]
  const { bulkTransferId, bulkQuoteId, individualTransfers } = request
  return ['bulk', bulkTransferId, bulkQuoteId, ...terms, individualTransfers.map(itemOf)]
}

function itemOf({
  transferId,
  amount,
  condition,
}: Pick<Prepare, 'transferId' | 'amount' | 'condition'>) {
  return [transferId, amount.currency, amount.amount, condition]
}

function resultOf({
  transferId,
  fulfilment,
  errorInformation: error,
  extensionList,
}: BulkFulfil['individualTransferResults'][number]) {
  const refusal = error === undefined ? undefined : errorOf(error)
  return [transferId, fulfilment, refusal, extensionsOf(extensionList)]
}

function errorOf({ errorCode, errorDescription, extensionList }: Reject['errorInformation']) {
  return [errorCode, errorDescription, extensionsOf(extensionList)]
}

function extensionsOf(list: Fulfil['extensionList']) {
  return list?.extension.map(({ key, value }) => [key, value])
}
