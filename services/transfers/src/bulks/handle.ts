/**
 * Handles a batch of events about bulks by name: those of one bulk one after the other, different bulks in
 * parallel. They have a subscription of their own, so that no single transfer waits behind a bulk.
 */
import type { DomainEvent, EventName } from '@causeway/events'
import { allOf } from '@causeway/process'
import type { DeliveryStore } from '@causeway/records'
import { answer } from './answer.ts'
import type { BulkEvent } from './contract.ts'
import { queryBulk } from './query.ts'
import { abortRefusedBulk } from './refused-delivery.ts'
import { split } from './split.ts'
import type { BulkDeps } from './deps.ts'

const reportNames = [
  'BulkTransferPrepareCallbackReport',
  'BulkTransferPrepareRefusedCallbackReport',
  'BulkTransferCompletedCallbackReport',
  'BulkTransferRejectedCallbackReport',
  'BulkTransferQueryResponseCallbackReport',
] as const satisfies readonly EventName[]

export const consumedOfBulks = [
  'BulkTransferPrepareAccountsAllocated',
  'BulkTransferFulfilRequested',
  'BulkTransferRejectRequested',
  'BulkTransferQueryPassedOn',
  ...reportNames,
] as const satisfies readonly EventName[]

export type ConsumedOfBulks = DomainEvent<(typeof consumedOfBulks)[number]>
type ReportEvent = DomainEvent<(typeof reportNames)[number]>

export async function handleBulks(
  deps: BulkDeps,
  deliveries: DeliveryStore,
  events: readonly ConsumedOfBulks[],
): Promise<void> {
  const reports: ReportEvent[] = []
  const ofBulks = new Map<string, BulkEvent[]>()
  for (const event of events) {
    if ('reports' in event.payload) {
      reports.push(event as ReportEvent)
      continue
    }
    const { bulkTransferId } = event.payload
    const ofBulk = ofBulks.get(bulkTransferId)
    if (ofBulk === undefined) ofBulks.set(bulkTransferId, [event as BulkEvent])
    else ofBulk.push(event as BulkEvent)
  }
  await allOf([
    deliveries.keep(
      reports.flatMap(({ name, payload }) =>
        payload.reports.map((delivery) => ({ report: name, delivery })),
      ),
      deps.now(),
    ),
    ...[...ofBulks.values()].map((ofBulk) => workInOrder(deps, ofBulk)),
    ...(deps.abortsRefusedDeliveries
      ? requestsIn(reports).map((delivery) => abortRefusedBulk(deps, delivery))
      : []),
  ])
}

function requestsIn(reports: readonly ReportEvent[]) {
  return reports.flatMap(({ name, payload }) =>
    name === 'BulkTransferPrepareCallbackReport' ? payload.reports : [],
  )
}

async function workInOrder(deps: BulkDeps, events: readonly BulkEvent[]): Promise<void> {
  for (const event of events) {
    switch (event.name) {
      case 'BulkTransferPrepareAccountsAllocated':
        await split(deps, event)
        break
      case 'BulkTransferFulfilRequested':
      case 'BulkTransferRejectRequested':
        await answer(deps, event)
        break
      case 'BulkTransferQueryPassedOn':
        await queryBulk(deps, event)
    }
  }
}
