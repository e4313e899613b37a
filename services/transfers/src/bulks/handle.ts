/**
 * Handles a batch of events about bulks by name: those of one bulk one after the other, different bulks in
 * parallel. They have a subscription of their own, so that no single transfer waits behind a bulk.
 */
import type { DomainEvent, EventName } from '@causeway/events'
import { allOf } from '@causeway/process'
import type { CallbackDelivery, DeliveryStore } from '@causeway/records'
import type { BulkDeps } from '../deps.ts'
import { isOpen } from '../domain/transfer.ts'
import { refusalIn, type RequestDelivery as Judged } from '../domain/undelivered.ts'
import { move, throwUnfinished, type Unfinished } from '../move.ts'
import { answeredBy } from '../prepare.ts'
import { answer } from './answer.ts'
import type { BulkEvent } from './contract.ts'
import { itemsOf, wasAsked } from './domain/bulk.ts'
import { queryBulk } from './query.ts'
import { slicesOf, split } from './split.ts'

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
type BulkReportEvent = DomainEvent<(typeof reportNames)[number]>

export async function handleBulks(
  deps: BulkDeps,
  deliveries: DeliveryStore,
  events: readonly ConsumedOfBulks[],
): Promise<void> {
  const reports: BulkReportEvent[] = []
  const ofBulks = new Map<string, BulkEvent[]>()
  for (const event of events) {
    if ('reports' in event.payload) {
      reports.push(event as BulkReportEvent)
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
    ...(deps.abortsRefusedDeliveries ? [abortRefusedBulks(deps, requestsIn(reports))] : []),
  ])
}

function requestsIn(reports: readonly BulkReportEvent[]) {
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

async function abortRefusedBulks(
  deps: BulkDeps,
  deliveries: readonly (CallbackDelivery & Judged)[],
): Promise<void> {
  for (const delivery of deliveries) await abortRefusedBulk(deps, delivery)
}

/**
 * A bulk whose request the payee FSP has refused by its HTTP answer ends at once instead of at its expiry.
 * The ledger decides, item by item: an item that was posted first stays posted.
 *
 * @param delivery of POST /bulkTransfers
 */
async function abortRefusedBulk(
  deps: BulkDeps,
  delivery: CallbackDelivery & Judged,
): Promise<void> {
  const errorInformation = refusalIn(delivery)
  if (errorInformation === undefined) return
  const bulk = await deps.bulks.read(delivery.entityId)
  if (bulk === undefined || bulk.end !== undefined) return
  if (bulk.payeeFsp !== delivery.destinationFspId) return
  const completedTimestamp = deps.now().toISOString()
  await deps.giveWay()
  const items = itemsOf(bulk, await deps.store.read(bulk.transferIds))
  const reserved = items.flatMap((item) => {
    const { transfer } = item
    if (transfer === undefined || !isOpen(transfer) || !wasAsked(bulk, item)) return []
    return [{ transfer }]
  })
  const unfinished: Unfinished[] = []
  for (const slice of slicesOf(reserved)) {
    await deps.giveWay()
    const answers = await deps.ledger.release(
      slice.map(({ transfer }) => ({
        transfer,
        reason: 'REJECTED',
        evidence: { kind: 'REFUSAL', completedTimestamp, errorInformation },
      })),
    )
    unfinished.push(...(await move(deps, answeredBy(slice, answers))))
  }
  throwUnfinished(unfinished)
}
