/** A batch of what FSPs ask about parties: questions and changes, side by side. */
import type { DomainEvent, EventName } from '@causeway/events'
import { allOf } from './all-of.ts'
import type { CommandEvent } from './associations/contract.ts'
import { changeAtHome, changeWherever, type AssociationParts } from './associations/handle.ts'
import { requestIn, type RequestEvent } from './deferred.ts'
import type { QueryEvent } from './lookups/contract.ts'
import { answerAtHome, answerWherever, type LookupParts } from './lookups/handle.ts'

export const heard = [
  'PartyQueryReceived',
  'ParticipantQueryReceived',
  'ParticipantAssociationRequestReceived',
  'ParticipantDisassociateRequestReceived',
  'ParticipantBatchAssociationRequestReceived',
] as const satisfies readonly EventName[]

/** Calls no oracle: what needs one is deferred. */
export async function handleBatch(
  lookups: LookupParts,
  associations: AssociationParts,
  events: readonly DomainEvent<(typeof heard)[number]>[],
): Promise<void> {
  const { queries, commands } = sorted(events)
  await allOf([answerAtHome(lookups, queries), changeAtHome(associations, commands)])
}

/** Waits for the oracles that are called. */
export async function handleDeferred(
  lookups: LookupParts,
  associations: AssociationParts,
  events: readonly DomainEvent<'OracleRequestDeferred'>[],
): Promise<void> {
  const { queries, commands } = sorted(events.map(requestIn))
  await allOf([answerWherever(lookups, queries), changeWherever(associations, commands)])
}

function sorted(events: readonly RequestEvent[]) {
  const queries: QueryEvent[] = []
  const commands: CommandEvent[] = []
  for (const event of events) {
    if (event.name === 'PartyQueryReceived' || event.name === 'ParticipantQueryReceived') {
      queries.push(event)
    } else {
      commands.push(event)
    }
  }
  return { queries, commands }
}
