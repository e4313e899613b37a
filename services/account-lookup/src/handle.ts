/** Handles a batch of events about parties: queries and changes concurrently. */
import type { PublishDerived } from '@causeway/bus'
import type { DomainEvent, EventName } from '@causeway/events'
import { allOf } from '@causeway/process'
import { claimedAssociation, type CommandEvent } from './associations/contract.ts'
import { applyWithoutCalls, applyWithCalls, type AssociationParts } from './associations/handle.ts'
import { requestIn, type RequestEvent } from './deferred.ts'
import type { QueryEvent } from './lookups/contract.ts'
import {
  answerWithCalls,
  answerWithoutCalls,
  reportUndelivered,
  type LookupParts,
  type UndeliveredParts,
} from './lookups/handle.ts'

export const consumedEvents = [
  'PartyQueryReceived',
  'ParticipantQueryReceived',
  'ParticipantAssociationRequestReceived',
  'ParticipantDisassociateRequestReceived',
  'ParticipantBatchAssociationRequestReceived',
  'PartyQueryUndelivered',
  'ConsentOwnershipClaimed',
] as const satisfies readonly EventName[]

/** Calls no external oracle: requests that need one are deferred. */
export async function handleBatch(
  lookups: LookupParts & UndeliveredParts,
  associations: AssociationParts,
  events: readonly DomainEvent<(typeof consumedEvents)[number]>[],
  publishDerived: PublishDerived,
): Promise<void> {
  const { queries, commands, undelivered } = sorted(events)
  await allOf([
    answerWithoutCalls(lookups, queries, publishDerived),
    reportUndelivered(lookups, undelivered),
    applyWithoutCalls(associations, commands),
  ])
}

/** Calls external oracles and waits for them. */
export async function handleDeferred(
  lookups: LookupParts,
  associations: AssociationParts,
  events: readonly DomainEvent<'OracleRequestDeferred'>[],
  publishDerived: PublishDerived,
): Promise<void> {
  const { queries, commands } = sorted(events.map(requestIn))
  await allOf([
    answerWithCalls(lookups, queries, publishDerived),
    applyWithCalls(associations, commands),
  ])
}

type UndeliveredEvent = DomainEvent<'PartyQueryUndelivered'>

type ClaimEvent = DomainEvent<'ConsentOwnershipClaimed'>

function sorted(events: readonly (RequestEvent | UndeliveredEvent | ClaimEvent)[]) {
  const queries: QueryEvent[] = []
  const commands: CommandEvent[] = []
  const undelivered: UndeliveredEvent[] = []
  for (const event of events) {
    switch (event.name) {
      case 'PartyQueryReceived':
      case 'ParticipantQueryReceived':
        queries.push(event)
        break
      case 'PartyQueryUndelivered':
        undelivered.push(event)
        break
      case 'ConsentOwnershipClaimed':
        commands.push(claimedAssociation(event))
        break
      default:
        commands.push(event)
    }
  }
  return { queries, commands, undelivered }
}
