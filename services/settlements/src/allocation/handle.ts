/**
 * Allocation: each request for a transfer goes on with its settlement model and the accounts it will
 * use. Nothing is stored: a repeat says the same events with the same ids.
 */
import { derivedId, newEvent, type DomainEvent } from '@causeway/events'
import type { FollowUp, OutgoingMessage } from '@causeway/runtime'
import type { AccountHints, AccountKey } from './account-hints.ts'
import { settlesOf, type ModelChoice } from './domain/allocate.ts'
import type { ModelBook } from './model-book.ts'

export type RequestEvent = DomainEvent<'TransferPrepareRequested'>

export interface AllocationParts {
  readonly models: ModelBook
  readonly accounts: AccountHints
}

export async function allocate(
  { models, accounts }: AllocationParts,
  events: readonly RequestEvent[],
  followUp: FollowUp,
): Promise<void> {
  if (events.length === 0) return
  const [chosen] = await Promise.all([
    models.find(new Set(events.map(({ payload }) => payload.amount.currency))),
    accounts.load(events.flatMap(({ payload }) => [payerKey(payload), payeeKey(payload)])),
  ])
  await followUp(
    events.map((event) => allocated(event, chosen.get(event.payload.amount.currency), accounts)),
  )
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
