/**
 * A batch of questions: whose is the party, and who is to be asked about it. Nothing is stored: what
 * is said follows from the batch, and a repeat says it with the same ids.
 */
import type { Participant, Participants } from '@causeway/participants'
import type { PublishDerived, OutgoingMessage } from '@causeway/runtime'
import { deferred } from '../deferred.ts'
import {
  findingsWithoutLookup,
  forwarded,
  participantTold,
  partyRefused,
  queryOf,
  standingOf,
  type PartyQuery,
  type QueryEvent,
} from './contract.ts'
import { decideAsking, decideTelling, type Findings } from './domain/answer.ts'
import type { OwnerBook } from './owners.ts'

export interface LookupParts {
  readonly participants: Pick<Participants, 'get'>
  readonly owners: Pick<OwnerBook, 'find' | 'findAtHome'>
  /** How long it is tried to hand a question to an owner. */
  readonly deadline_ms: number
}

/** A question and what its lookup came to. */
interface Found {
  readonly event: QueryEvent
  readonly findings: Findings
}

/** Questions that need a call of an oracle are deferred, all others are answered. */
export async function answerAtHome(
  parts: LookupParts,
  events: readonly QueryEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  const known: Found[] = []
  const asked: QueryEvent[] = []
  for (const event of events) {
    const findings = findingsWithoutLookup(event)
    if (findings === undefined) asked.push(event)
    else known.push({ event, findings })
  }
  const owners = await parts.owners.findAtHome(asked.map(queryOf))
  const waiting = asked.filter((_event, at) => owners[at] === undefined)
  const looked = asked.flatMap((event, at) => {
    const findings = owners[at]
    return findings === undefined ? [] : [{ event, findings }]
  })
  await answer(parts, [...known, ...looked], waiting.map(deferred), publishDerived)
}

/** Every question is answered, whoever has to be called for it. */
export async function answerWherever(
  parts: LookupParts,
  events: readonly QueryEvent[],
  publishDerived: PublishDerived,
): Promise<void> {
  const owners = await parts.owners.find(events.map(queryOf))
  const found = events.flatMap((event, at) => {
    const findings = findingsWithoutLookup(event) ?? owners[at]
    return findings === undefined ? [] : [{ event, findings }]
  })
  await answer(parts, found, [], publishDerived)
}

async function answer(
  parts: LookupParts,
  found: readonly Found[],
  others: readonly OutgoingMessage[],
  publishDerived: PublishDerived,
): Promise<void> {
  if (found.length + others.length === 0) return
  const participants = await participantsIn(parts, found)
  const deadline = new Date(Date.now() + parts.deadline_ms)
  const messages = found.flatMap((each) => messagesOf(each, participants, deadline))
  await publishDerived([...messages, ...others])
}

/** Who cannot be told of or asked by what is in memory is asked for afresh, all at once. */
async function participantsIn(
  { participants }: LookupParts,
  found: readonly Found[],
): Promise<ReadonlyMap<string, Participant>> {
  const eventsOf = new Map<string, QueryEvent[]>()
  for (const { event, findings } of found) {
    if (findings.type !== 'FOUND') continue
    for (const fspId of findings.fspIds) {
      const others = eventsOf.get(fspId)
      if (others === undefined) eventsOf.set(fspId, [event])
      else others.push(event)
    }
  }
  if (eventsOf.size === 0) return new Map()
  return participants.get([...eventsOf.keys()], (participant) =>
    (eventsOf.get(participant.name) ?? []).every((event) =>
      event.name === 'PartyQueryReceived'
        ? standingOf(participant, event) === 'REACHABLE'
        : participant.isActive,
    ),
  )
}

function messagesOf(
  { event, findings }: Found,
  participants: ReadonlyMap<string, Participant>,
  deadline: Date,
): readonly OutgoingMessage[] {
  if (event.name === 'PartyQueryReceived') {
    return askingMessages(event, findings, participants, deadline)
  }
  const isActive = (fspId: string) => participants.get(fspId)?.isActive === true
  return [participantTold(event, decideTelling(findings, isActive))]
}

function askingMessages(
  event: PartyQuery,
  findings: Findings,
  participants: ReadonlyMap<string, Participant>,
  deadline: Date,
): readonly OutgoingMessage[] {
  const asking = decideAsking(findings, (fspId) => standingOf(participants.get(fspId), event))
  if (asking.type === 'REFUSED') return [partyRefused(event, asking.reason)]
  const fsps = asking.fspIds.length
  return asking.fspIds.flatMap((fspId) => {
    const participant = participants.get(fspId)
    return participant === undefined ? [] : [forwarded(event, { participant, fsps, deadline })]
  })
}
