/** Events as the edge and settlements would send them, for tests: an invented payer and payee. */
import { conditionOf } from '@causeway/fspiop'
import { createHash, randomUUID } from 'node:crypto'
import type { FulfilEvent, PrepareEvent, QueryEvent, RejectEvent } from '../contract.ts'

export const payer = 'mangobank'
export const payee = 'riverwallet'
export const fulfilment = Buffer.alloc(32, 7).toString('base64url')
export const condition = conditionOf(fulfilment)
export const otherFulfilment = Buffer.alloc(32, 8).toString('base64url')

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url')
}

export function relayOf(content: string): { body: Buffer; headers: Buffer } {
  return { body: Buffer.from(content), headers: Buffer.from('{"date":"today"}') }
}

export const time = '2026-01-01T00:00:00.000Z'

export function envelope(id: string | undefined, relayed: string | undefined) {
  const relay = relayed === undefined ? undefined : relayOf(relayed)
  return { id: id ?? randomUUID(), time, maybeDuplicate: false, relay, traceparent: undefined }
}

export type PrepareChanges = Partial<PrepareEvent['payload']> & { readonly id?: string }

export function prepareEvent(
  transferId: string,
  { id, ...changes }: PrepareChanges = {},
): PrepareEvent {
  return {
    ...envelope(id, `prepare ${transferId}`),
    name: 'TransferPrepareAccountsAllocated',
    payload: {
      transferId,
      payerFsp: payer,
      payeeFsp: payee,
      amount: { amount: '12.5', currency: 'USD' },
      expiration: '2026-01-01T00:01:00.000Z',
      condition,
      payloadHash: hashOf(`prepare ${transferId}`),
      receivedAt: time,
      version: '1.1',
      settlementModelId: 1,
      settlementModel: 'DEFERREDNET',
      settles: 'NET',
      payerAccountId: 11,
      payeeAccountId: 12,
      ...changes,
    },
  }
}

/** The same request from an allocation that found no model. */
export function modellessEvent(transferId: string): PrepareEvent {
  const event = prepareEvent(transferId)
  return {
    ...event,
    payload: without(event.payload, 'settlementModelId', 'settlementModel', 'settles'),
  }
}

export function withoutFulfilment(event: FulfilEvent): FulfilEvent {
  return { ...event, payload: without(event.payload, 'fulfilment') }
}

function without<T extends object, Key extends keyof T>(value: T, ...keys: Key[]): Omit<T, Key> {
  const left = Object.entries(value).filter(([key]) => !keys.some((gone) => gone === key))
  return Object.fromEntries(left) as Omit<T, Key>
}

export type FulfilChanges = Partial<FulfilEvent['payload']> & { readonly id?: string }

export function fulfilEvent(
  transferId: string,
  { id, ...changes }: FulfilChanges = {},
): FulfilEvent {
  const state = changes.transferState ?? 'COMMITTED'
  const content = `${state} ${changes.fulfilment ?? fulfilment}`
  return {
    ...envelope(id, content),
    name: 'TransferFulfilCommittedRequested',
    payload: {
      transferId,
      requesterFspId: payee,
      destinationFspId: payer,
      transferState: state,
      fulfilment,
      completedTimestamp: '2026-01-01T00:00:01.500Z',
      notifyPayee: state === 'RESERVED',
      payloadHash: hashOf(content),
      receivedAt: '2026-01-01T00:00:02.000Z',
      version: '1.1',
      ...changes,
    },
  }
}

export type RejectChanges = Partial<RejectEvent['payload']> & { readonly id?: string }

export function rejectEvent(
  transferId: string,
  { id, ...changes }: RejectChanges = {},
): RejectEvent {
  return {
    ...envelope(id, 'reject'),
    name: 'TransferRejectRequested',
    payload: {
      transferId,
      requesterFspId: payee,
      destinationFspId: payer,
      errorInformation: { errorCode: '5104', errorDescription: 'Payee rejected transaction' },
      payloadHash: hashOf('reject'),
      receivedAt: '2026-01-01T00:00:02.000Z',
      version: '1.1',
      ...changes,
    },
  }
}

export function queryEvent(transferId: string, requesterFspId: string): QueryEvent {
  return {
    ...envelope(undefined, undefined),
    name: 'TransferQueryPassedOn',
    payload: { transferId, requesterFspId, version: '1.1' },
  }
}
