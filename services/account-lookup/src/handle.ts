/** A batch of what FSPs ask about parties: questions and changes, side by side. */
import type { DomainEvent, EventName } from '@causeway/events'
import { allOf, type PublishDerived } from '@causeway/runtime'
import { claimedAssociation, type CommandEvent } from './associations/contract.ts'
import { changeAtHome, changeWherever, type AssociationParts } from './associations/handle.ts'
import { requestIn, type RequestEvent } from './deferred.ts'
import type { QueryEvent } from './lookups/contract.ts'
import { answerAtHome, answerWherever, type LookupParts } from './lookups/handle.ts'
import { giveUp, type UndeliveredParts } from './lookups/undelivered.ts'

export const heard = [
  'PartyQueryReceived',
  'ParticipantQueryReceived',
  'ParticipantAssociationRequestReceived',
  'ParticipantDisassociateRequestReceived',
  'ParticipantBatchAssociationRequestReceived',
  'PartyQueryUndelivered',
  'ConsentOwnershipClaimed',
] as const satisfies readonly EventName[]

/** Calls no oracle: what needs one is deferred. */
export async function handleBatch(
  lookups: LookupParts & UndeliveredParts,
  associations: AssociationParts,
  events: readonly DomainEvent<(typeof heard)[number]>[],
  publishDerived: PublishDerived,
): Promise<void> {
  const { queries, commands, undelivered } = sorted(events)
  await allOf([
    answerAtHome(lookups, queries, publishDerived),
    giveUp(lookups, undelivered),
    changeAtHome(associations, commands),
  ])
}

/** Waits for the oracles that are called. */
export async function handleDeferred(
  lookups: LookupParts,
  associations: AssociationParts,
  events: readonly DomainEvent<'OracleRequestDeferred'>[],
  publishDerived: PublishDerived,
): Promise<void> {
  const { queries, commands } = sorted(events.map(requestIn))
  await allOf([
    answerWherever(lookups, queries, publishDerived),
    changeWherever(associations, commands),
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
