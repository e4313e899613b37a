/**
 * Allocation: each transfer request is published again with its settlement model and accounts, and
 * each query about a transfer follows its request, so that a transfer whose request was answered
 * 202 is never reported as unknown. Nothing is stored: a repeat publishes the same events with the
 * same ids.
 */
import type { PublishDerived, OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent } from '@causeway/events'
import type { AccountHints, AccountKey } from './account-hints.ts'
import { settlesOf, type ModelChoice } from './domain/allocate.ts'
import type { ModelBook } from './model-book.ts'

type RequestEvent = DomainEvent<'TransferPrepareRequested'>
type QueryEvent = DomainEvent<'TransferQueryReceived'>
export type TransferEvent = RequestEvent | QueryEvent

export interface AllocationParts {
  readonly models: ModelBook
  readonly accounts: AccountHints
}

/** The events of one transfer keep their order. */
export async function allocate(
  { models, accounts }: AllocationParts,
  events: readonly TransferEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  if (events.length === 0) return
  const requests = events.filter((event) => event.name === 'TransferPrepareRequested')
  const [chosen] = await Promise.all([
    models.find(new Set(requests.map(({ payload }) => payload.amount.currency))),
    accounts.load(requests.flatMap(({ payload }) => [payerKey(payload), payeeKey(payload)])),
  ])
  await publishDerived(
    events.map((event) =>
      event.name === 'TransferQueryReceived'
        ? forwarded(event)
        : allocated(event, chosen.get(event.payload.amount.currency), accounts),
    ),
  )
}

function forwarded({ id, payload, traceparent }: QueryEvent): OutgoingMessage {
  const name = 'TransferQueryPassedOn'
  return newEvent('settlements', name, payload, { id: derivedId(id, name), traceparent })
}

function allocated(
  { id, payload, relay, traceparent }: RequestEvent,
  model: ModelChoice | undefined,
  accounts: AccountHints,
): OutgoingMessage {
  const name = 'TransferPrepareAccountsAllocated'
  const payerAccountId = accounts.find(payerKey(payload))
  const payeeAccountId = accounts.find(payeeKey(payload))
  return newEvent(
    'settlements',
    name,
    {
      ...payload,
      ...(model === undefined
        ? {}
        : {
            settlementModelId: model.id,
            settlementModel: model.name,
            settles: settlesOf(model),
          }),
      ...(payerAccountId === undefined ? {} : { payerAccountId }),
      ...(payeeAccountId === undefined ? {} : { payeeAccountId }),
    },
    { id: derivedId(id, name), relay, traceparent },
  )
}

function payerKey({ payerFsp, amount }: RequestEvent['payload']): AccountKey {
  return { participant: payerFsp, currency: amount.currency }
}

function payeeKey({ payeeFsp, amount }: RequestEvent['payload']): AccountKey {
  return { participant: payeeFsp, currency: amount.currency }
}
