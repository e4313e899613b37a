/**
 * A batch of events, each processed by the step that belongs to its name. Several events of one transfer keep
 * their order: they are worked in rounds, each round holding a transfer once.
 */
import { roundsOf, type DomainEvent, type EventName } from '@causeway/events'
import { allOf } from '@causeway/process'
import type { DeliveryStore } from '@causeway/records'
import {
  answerTo,
  type FulfilEvent,
  type PrepareEvent,
  type QueryEvent,
  type RejectEvent,
} from './contract.ts'
import type { Deps } from './deps.ts'
import { decideMovementQuery, decideQuery } from './domain/decide.ts'
import { abortRefused, fulfil } from './fulfil.ts'
import { prepare } from './prepare.ts'

const reportNames = [
  'TransferPrepareCallbackReport',
  'TransferFulfilCommittedCallbackReport',
  'TransferRejectRequestProcessedCallbackReport',
  'TransferQueryResponseCallbackReport',
  'TransferPrepareRequestTimedoutCallbackReport',
  'TransferFulfilCommitRequestTimedoutCallbackReport',
  'TransferPrepareDuplicateCheckFailedCallbackReport',
  'TransferPrepareLiquidityCheckFailedCallbackReport',
  'TransferPrepareInvalidPayerCheckFailedCallbackReport',
  'TransferPrepareInvalidPayeeCheckFailedCallbackReport',
] as const satisfies readonly EventName[]

export const consumed = [
  'TransferPrepareAccountsAllocated',
  'TransferFulfilCommittedRequested',
  'TransferRejectRequested',
  'TransferQueryPassedOn',
  ...reportNames,
] as const satisfies readonly EventName[]

export type ConsumedEvent = DomainEvent<(typeof consumed)[number]>
type TransferReportEvent = DomainEvent<(typeof reportNames)[number]>
type TransferEvent = PrepareEvent | FulfilEvent | RejectEvent | QueryEvent

export async function handleBatch(
  deps: Deps,
  deliveries: DeliveryStore,
  events: readonly ConsumedEvent[],
): Promise<void> {
  const reports: TransferReportEvent[] = []
  const ofTransfers: TransferEvent[] = []
  for (const event of events) {
    if ('reports' in event.payload) reports.push(event as TransferReportEvent)
    else ofTransfers.push(event as TransferEvent)
  }
  await allOf([
    deliveries.keep(
      reports.flatMap(({ name, payload }) =>
        payload.reports.map((delivery) => ({ report: name, delivery })),
      ),
      deps.now(),
    ),
    workInRounds(deps, ofTransfers),
    ...(deps.abortsRefusedDeliveries ? [abortRefused(deps, deliveriesOfRequests(reports))] : []),
  ])
}

function deliveriesOfRequests(reports: readonly TransferReportEvent[]) {
  return reports.flatMap(({ name, payload }) =>
    name === 'TransferPrepareCallbackReport' ? payload.reports : [],
  )
}

async function workInRounds(deps: Deps, events: readonly TransferEvent[]): Promise<void> {
  for (const round of roundsOf(events, ({ payload }) => [payload.transferId])) {
    const prepares: PrepareEvent[] = []
    const ofPayees: (FulfilEvent | RejectEvent)[] = []
    const queries: QueryEvent[] = []
    for (const event of round) {
      if (event.name === 'TransferPrepareAccountsAllocated') prepares.push(event)
      else if (event.name === 'TransferQueryPassedOn') queries.push(event)
      else ofPayees.push(event)
    }
    await allOf([prepare(deps, prepares), fulfil(deps, ofPayees), query(deps, queries)])
  }
}

/** GET /transfers/{ID}: the stored state, for the two FSPs of the transfer; also movements without a transfer. */
async function query(deps: Deps, events: readonly QueryEvent[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(({ payload }) => payload.transferId)
  const stored = await deps.store.read(ids)
  const movements = await deps.ledger.movements(ids.filter((id) => !stored.has(id)))
  const answers = events.map((event) => {
    const { transferId, requesterFspId } = event.payload
    const transfer = stored.get(transferId)
    return answerTo(
      event,
      transfer === undefined
        ? decideMovementQuery(movements.get(transferId), requesterFspId)
        : decideQuery(transfer, requesterFspId),
    )
  })
  await deps.store.move([], deps.now(), () => answers)
}
