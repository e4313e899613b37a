/**
 * Allocation of bulks: each request is published again with the settlement model and accounts of
 * each of its currencies, and each query about a bulk follows its request. Nothing is stored: a
 * repeat publishes the same events with the same ids.
 */
import type { PublishDerived, OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent, type Payload } from '@causeway/events'
import type { AccountHints, AccountKey } from './account-hints.ts'
import { settlesOf, type ModelChoice } from './domain/allocate.ts'
import type { AllocationParts } from './handle.ts'

export const bulkEvents = ['BulkTransferPrepareRequested', 'BulkTransferQueryReceived'] as const

type RequestEvent = DomainEvent<'BulkTransferPrepareRequested'>
type QueryEvent = DomainEvent<'BulkTransferQueryReceived'>
export type BulkEvent = RequestEvent | QueryEvent
type Allocation = Payload<'BulkTransferPrepareAccountsAllocated'>['allocations'][number]

/** The events of one bulk keep their order. */
export async function allocateBulks(
  { models, accounts }: AllocationParts,
  events: readonly BulkEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  const requests = events.filter((event) => event.name === 'BulkTransferPrepareRequested')
  const needed = requests.map(({ payload }) => ({ payload, currencies: currenciesOf(payload) }))
  const [chosen] = await Promise.all([
    models.find(new Set(needed.flatMap(({ currencies }) => currencies))),
    accounts.load(
      needed.flatMap(({ payload, currencies }) =>
        currencies.flatMap((currency) => [
          payerKey(payload, currency),
          payeeKey(payload, currency),
        ]),
      ),
    ),
  ])
  await publishDerived(
    events.map((event) =>
      event.name === 'BulkTransferQueryReceived'
        ? forwarded(event)
        : allocated(event, chosen, accounts),
    ),
  )
}

function forwarded({ id, payload, traceparent }: QueryEvent): OutgoingMessage {
  const name = 'BulkTransferQueryPassedOn'
  return newEvent('settlements', name, payload, { id: derivedId(id, name), traceparent })
}

function allocated(
  { id, payload, relay, traceparent }: RequestEvent,
  chosen: ReadonlyMap<string, ModelChoice | undefined>,
  accounts: AccountHints,
): OutgoingMessage {
  const name = 'BulkTransferPrepareAccountsAllocated'
  const allocations = currenciesOf(payload).flatMap((currency): Allocation[] => {
    const model = chosen.get(currency)
    if (model === undefined) return []
    const payerAccountId = accounts.find(payerKey(payload, currency))
    const payeeAccountId = accounts.find(payeeKey(payload, currency))
    return [
      {
        currency,
        settlementModelId: model.id,
        settlementModel: model.name,
        settles: settlesOf(model),
        ...(payerAccountId === undefined ? {} : { payerAccountId }),
        ...(payeeAccountId === undefined ? {} : { payeeAccountId }),
      },
    ]
  })
  return newEvent(
    'settlements',
    name,
    { ...payload, allocations },
    { id: derivedId(id, name), relay, traceparent },
  )
}

function currenciesOf({ individualTransfers }: RequestEvent['payload']): readonly string[] {
  return [...new Set(individualTransfers.map(({ amount }) => amount.currency))]
}

function payerKey({ payerFsp }: RequestEvent['payload'], currency: string): AccountKey {
  return { participant: payerFsp, currency }
}

function payeeKey({ payeeFsp }: RequestEvent['payload'], currency: string): AccountKey {
  return { participant: payeeFsp, currency }
}
