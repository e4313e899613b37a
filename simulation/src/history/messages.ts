/** What FSPs send, as the edge stores it, and what they learn of, as it is announced to the edge. */
import { createHash } from 'node:crypto'
import { newEvent, type DomainEvent, type EventName } from '@causeway/events'
import type { OutgoingMessage } from '@causeway/bus'
import { conditionOf } from '@causeway/fspiop'
import type { End, Sent, TransferRecord } from './record.ts'

const fulfilment = Buffer.alloc(32, 7).toString('base64url')
const wrongFulfilment = Buffer.alloc(32, 8).toString('base64url')
const condition = conditionOf(fulfilment)
const version = '1.1'

export const announced = [
  'TransferPrepared',
  'TransferCommittedFulfiled',
  'TransferRejectRequestProcessed',
  'TransferPrepareRequestTimedout',
  'TransferFulfilComitRequestTimedout',
  'TransferPrepareLiquidityCheckFailed',
  'TransferPrepareInvalidPayerCheckFailed',
  'TransferPrepareInvalidPayeeCheckFailed',
] as const satisfies readonly EventName[]

export function prepareOf(
  { id, planned: { payer, payee, amount }, expires_ms }: TransferRecord,
  received_ms: number,
  isOther: boolean,
): OutgoingMessage {
  return newEvent('fspiop-api', 'TransferPrepareRequested', {
    transferId: id,
    payerFsp: payer,
    payeeFsp: payee,
    amount: { amount, currency: 'USD' },
    expiration: new Date(expires_ms).toISOString(),
    condition,
    payloadHash: hashOf(isOther ? `other ${id}` : id),
    receivedAt: new Date(received_ms).toISOString(),
    version,
  })
}

export function answerOf(
  { id, planned: { payer, payee } }: TransferRecord,
  kind: Sent['kind'],
  isReserved: boolean,
  received_ms: number,
): OutgoingMessage {
  const receivedAt = new Date(received_ms).toISOString()
  const ofBoth = {
    transferId: id,
    requesterFspId: payee,
    destinationFspId: payer,
    receivedAt,
    version,
  }
  if (kind === 'REJECT') {
    return newEvent('fspiop-api', 'TransferRejectRequested', {
      ...ofBoth,
      errorInformation: { errorCode: '5104', errorDescription: 'Payee rejected transaction' },
      payloadHash: hashOf('reject'),
    })
  }
  const given = kind === 'FULFIL' ? fulfilment : wrongFulfilment
  const transferState = isReserved ? 'RESERVED' : 'COMMITTED'
  return newEvent('fspiop-api', 'TransferFulfilCommittedRequested', {
    ...ofBoth,
    transferState,
    fulfilment: given,
    completedTimestamp: receivedAt,
    notifyPayee: isReserved,
    payloadHash: hashOf(transferState + given),
  })
}

/** Undefined: it asks the payee FSP. */
export function endIn({ name, payload }: DomainEvent<(typeof announced)[number]>): End | undefined {
  switch (name) {
    case 'TransferPrepared':
      return undefined
    case 'TransferCommittedFulfiled':
      return 'COMMITTED'
    case 'TransferRejectRequestProcessed':
      return endOfCode(payload.errorInformation.errorCode)
    case 'TransferPrepareRequestTimedout':
    case 'TransferFulfilComitRequestTimedout':
      return 'EXPIRED'
    case 'TransferPrepareLiquidityCheckFailed':
      return 'NO_COVER'
    case 'TransferPrepareInvalidPayerCheckFailed':
    case 'TransferPrepareInvalidPayeeCheckFailed':
      return 'UNKNOWN_PAYEE'
  }
}

function endOfCode(code: string): End {
  if (code === '5104') return 'REJECTED'
  if (code === '3303') return 'EXPIRED'
  return 'WRONG_FULFILMENT'
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url')
}
