/**
 * The part of a bulk transfer message that its event contains: of each item the members needed for
 * decisions, without the ILP packet. Pure, so that it can run in another thread.
 */
import type { Payload } from '@causeway/events'
import {
  payloadHash,
  postBulkTransfers,
  putBulkTransfers,
  type Clear,
  type IndividualTransferResult,
  utcDateTime,
} from '@causeway/fspiop'
import { destinationOf, errorInformationOf, extensionListOf } from '../contract.ts'
import type { Digested, Digestible } from '../digests.ts'
import { bodyOf } from '../bodies/reading.ts'

type BulkTransferRequest = Payload<'BulkTransferPrepareRequested'>
type Response = Payload<'BulkTransferFulfilRequested'>

export function digestPrepare(message: Digestible): Digested<BulkTransferRequest> {
  const reading = bodyOf(postBulkTransfers, message)
  if (!reading.ok) return reading
  const { bulkTransferId, bulkQuoteId, payerFsp, payeeFsp } = reading.value
  const { expiration, individualTransfers } = reading.value
  return {
    ok: true,
    payload: {
      bulkTransferId,
      bulkQuoteId,
      payerFsp,
      payeeFsp,
      expiration: utcDateTime(expiration),
      individualTransfers: (individualTransfers ?? []).map(
        ({ transferId, transferAmount: { currency, amount }, condition }) => ({
          transferId,
          amount: { currency, amount },
          condition,
        }),
      ),
      payloadHash: payloadHash(reading.json),
      receivedAt: message.receivedAt,
      version: message.version,
    },
  }
}

export function digestFulfil(message: Digestible): Digested<Omit<Response, 'bulkTransferId'>> {
  const reading = bodyOf(putBulkTransfers, message)
  if (!reading.ok) return reading
  const { completedTimestamp, individualTransferResults, bulkTransferState } = reading.value
  return {
    ok: true,
    payload: {
      requesterFspId: message.source,
      ...destinationOf(message),
      bulkTransferState,
      ...(completedTimestamp === undefined
        ? {}
        : { completedTimestamp: utcDateTime(completedTimestamp) }),
      individualTransferResults: (individualTransferResults ?? []).map(resultOf),
      payloadHash: payloadHash(reading.json),
      receivedAt: message.receivedAt,
      version: message.version,
    },
  }
}

function resultOf({
  transferId,
  fulfilment,
  errorInformation,
  extensionList,
}: Clear<IndividualTransferResult>): Response['individualTransferResults'][number] {
  return {
    transferId,
    ...(fulfilment === undefined ? {} : { fulfilment }),
    ...(errorInformation === undefined
      ? {}
      : { errorInformation: errorInformationOf(errorInformation) }),
    ...extensionListOf(extensionList),
  }
}
