/** Events of bulks as the edge and settlements would send them, for tests. */
import type {
  BulkFulfilEvent,
  BulkPrepareEvent,
  BulkQueryEvent,
  BulkRejectEvent,
} from '../bulks/contract.ts'
import { condition, envelope, fulfilment, hashOf, payee, payer, time } from './messages.ts'

type PrepareChanges = Partial<BulkPrepareEvent['payload']> & { readonly id?: string }

/** Of one item for each transfer id, 10 USD each. */
export function bulkPrepareEvent(
  bulkTransferId: string,
  transferIds: readonly string[],
  { id, ...changes }: PrepareChanges = {},
): BulkPrepareEvent {
  const content = `bulk ${bulkTransferId} ${transferIds.join(' ')}`
  return {
    ...envelope(id, content),
    name: 'BulkTransferPrepareAccountsAllocated',
    payload: {
      bulkTransferId,
      bulkQuoteId: 'quote of the bulk',
      payerFsp: payer,
      payeeFsp: payee,
      expiration: '2026-01-01T00:01:00.000Z',
      individualTransfers: transferIds.map((transferId) => ({
        transferId,
        amount: { amount: '10', currency: 'USD' },
        condition,
      })),
      payloadHash: hashOf(content),
      receivedAt: time,
      version: '1.1',
      allocations: [
        {
          currency: 'USD',
          settlementModelId: 1,
          settlementModel: 'DEFERREDNET',
          settles: 'NET',
        },
      ],
      ...changes,
    },
  }
}

type Results = BulkFulfilEvent['payload']['individualTransferResults']
type FulfilChanges = Partial<BulkFulfilEvent['payload']> & { readonly id?: string }

/** The payee FSP has paid all of them. */
export function fulfilled(transferIds: readonly string[]): Results {
  return transferIds.map((transferId) => ({ transferId, fulfilment }))
}

export function bulkFulfilEvent(
  bulkTransferId: string,
  results: Results,
  { id, ...changes }: FulfilChanges = {},
): BulkFulfilEvent {
  const content = JSON.stringify([changes.bulkTransferState ?? 'COMPLETED', results])
  return {
    ...envelope(id, content),
    name: 'BulkTransferFulfilRequested',
    payload: {
      bulkTransferId,
      requesterFspId: payee,
      destinationFspId: payer,
      bulkTransferState: 'COMPLETED',
      completedTimestamp: '2026-01-01T00:00:01.500Z',
      individualTransferResults: results,
      payloadHash: hashOf(content),
      receivedAt: '2026-01-01T00:00:02.000Z',
      version: '1.1',
      ...changes,
    },
  }
}

type RejectChanges = Partial<BulkRejectEvent['payload']> & { readonly id?: string }

export function bulkRejectEvent(
  bulkTransferId: string,
  { id, ...changes }: RejectChanges = {},
): BulkRejectEvent {
  return {
    ...envelope(id, 'reject'),
    name: 'BulkTransferRejectRequested',
    payload: {
      bulkTransferId,
      requesterFspId: payee,
      destinationFspId: payer,
      errorInformation: { errorCode: '5001', errorDescription: 'Payee FSP insufficient liquidity' },
      payloadHash: hashOf('reject'),
      receivedAt: '2026-01-01T00:00:02.000Z',
      version: '1.1',
      ...changes,
    },
  }
}

export function bulkQueryEvent(bulkTransferId: string, requesterFspId: string): BulkQueryEvent {
  return {
    ...envelope(undefined, undefined),
    name: 'BulkTransferQueryPassedOn',
    payload: { bulkTransferId, requesterFspId, version: '1.1' },
  }
}
