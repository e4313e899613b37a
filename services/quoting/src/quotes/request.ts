/**
 * A payer FSP's request: decided, then claimed and announced in one transaction. A request that
 * needs a lookup of its payee waits separately.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { Participant } from '@causeway/participants'
import { allOf } from '@causeway/process'
import { windowsOf } from '../rules/domain/judge-request.ts'
import type { Work } from '../work.ts'
import {
  idUsed,
  repeatOf,
  replayStored,
  requestAccepted,
  requestOf,
  requestRefused,
  errorMessage,
  termsOf,
  type RequestEvent,
} from './contract.ts'
import { destinationOfMessage, findDestinations } from './destination.ts'
import { decideRepeat } from './domain/decide.ts'
import type { Pending, Rejected } from './domain/quote.ts'
import {
  judge,
  refusalOfMessage,
  participantStatus,
  type Destination,
  type Judgement,
  type QuoteRequest,
} from './domain/request.ts'
import { requestErrorOf, violationErrorOf } from './errors.ts'
import type { Claim, QuoteWithAnswer } from './store.ts'

interface ReceivedRequest {
  readonly event: RequestEvent
  readonly request: QuoteRequest
}

export interface Directed extends ReceivedRequest {
  readonly destination: Destination
}

export interface JudgedRequest extends ReceivedRequest {
  readonly judgement: Judgement
}

export interface JudgingParts extends Pick<Work, 'participants' | 'findOwners' | 'pending_max_ms'> {
  readonly rules: Pick<Work['rules'], 'rules'>
  readonly velocity: Pick<Work['velocity'], 'usages'>
}

const unknownParty: Destination = { type: 'PARTY_UNKNOWN' }

/** The events are of different quotes. */
export async function request(work: Work, events: readonly RequestEvent[]): Promise<void> {
  await judgeInParts(work, events, work.now(), (judged) => claim(work, judged))
}

/** Processes first the requests with a known destination, and the others after the lookup. */
export async function judgeInParts(
  parts: JudgingParts,
  events: readonly RequestEvent[],
  now: Date,
  then: (judged: readonly JudgedRequest[]) => Promise<void>,
): Promise<void> {
  const directed: Directed[] = []
  const open: ReceivedRequest[] = []
  for (const event of events) {
    const asked = { event, request: requestOf(event, parts.pending_max_ms) }
    const refused = refusalOfMessage(asked.request, now.getTime()) !== undefined
    const destination = refused ? unknownParty : destinationOfMessage(event)
    if (destination === undefined) open.push(asked)
    else directed.push({ ...asked, destination })
  }
  const judgeAll = async (all: readonly Directed[]) => {
    if (all.length > 0) await then(await judgeTogether(parts, all, now))
  }
  await allOf([judgeAll(directed), lookUp(parts, open).then(judgeAll)])
}

async function lookUp(
  { findOwners }: JudgingParts,
  open: readonly ReceivedRequest[],
): Promise<readonly Directed[]> {
  if (open.length === 0) return []
  const events = open.map(({ event }) => event)
  const destinations = await findDestinations(findOwners, events)
  return open.map((asked, at) => ({ ...asked, destination: destinations[at] ?? unknownParty }))
}

async function judgeTogether(
  { participants, rules, velocity }: JudgingParts,
  directed: readonly Directed[],
  now: Date,
): Promise<readonly JudgedRequest[]> {
  const known = await participantsOf(participants, directed)
  const inForce = rules.rules()
  const windows = windowsOf(
    inForce,
    directed.map(({ request: one }) => one),
  )
  const usages = await velocity.usages(windows, now)
  return directed.map(({ event, request: one, destination }) => ({
    event,
    request: one,
    judgement: judge(one, {
      destination,
      statusOf: (fspId) => participantStatus(known.get(fspId), one.currency),
      rules: inForce,
      usages,
      now_ms: now.getTime(),
    }),
  }))
}

/** From the cache; participants that would lead to a refusal are fetched again first. */
function participantsOf(
  participants: JudgingParts['participants'],
  directed: readonly Directed[],
): Promise<ReadonlyMap<string, Participant>> {
  const currencies = new Map<string, Set<string>>()
  for (const { request: one, destination } of directed) {
    const fspIds = destination.type === 'KNOWN' ? destination.fspIds : []
    for (const fspId of [one.payerFsp, ...fspIds]) {
      currencies.set(fspId, (currencies.get(fspId) ?? new Set()).add(one.currency))
    }
  }
  return participants.get([...currencies.keys()], (participant) =>
    [...(currencies.get(participant.name) ?? [])].every(
      (currency) => participantStatus(participant, currency) === 'USABLE',
    ),
  )
}

async function claim(work: Work, judged: readonly JudgedRequest[]): Promise<void> {
  const { claimed } = await work.store.claim(
    judged.map(claimOf),
    work.now(),
    ({ claimed, known }) =>
      judged.flatMap(({ event, judgement }) => {
        const { quoteId } = event.payload
        if (claimed.has(quoteId)) return [eventOf(event, judgement)]
        const stored = known.get(quoteId)
        if (stored === undefined) throw new Error(`${quoteId} is claimed but not stored`)
        return repeated(event, stored)
      }),
  )
  const isNew = judged.filter(({ event }) => claimed.has(event.payload.quoteId))
  const asked = isNew.filter(({ judgement }) => judgement.type === 'ask').length
  work.became('PENDING', asked)
  work.became('REJECTED', isNew.length - asked)
}

function claimOf({ event, request: one, judgement }: JudgedRequest): Claim {
  return {
    quote: { ...termsOf(event, one), ...stateOf(judgement) },
    relay: event.relay,
  }
}

function stateOf(judgement: Judgement): Pending | Rejected {
  const { payeeFsp } = judgement
  switch (judgement.type) {
    case 'ask':
      return { state: 'PENDING', payeeFsp: judgement.payeeFsp }
    case 'refuse': {
      const { reason } = judgement
      const error = requestErrorOf(reason)
      return { state: 'REJECTED', payeeFsp, reason, error, ruleId: undefined, outcome: undefined }
    }
    case 'forbid': {
      const error = violationErrorOf(judgement.violation)
      const { ruleId } = judgement.violation
      return { state: 'REJECTED', payeeFsp, reason: 'RULE', error, ruleId, outcome: undefined }
    }
  }
}

export function eventOf(event: RequestEvent, judgement: Judgement): OutgoingMessage {
  return judgement.type === 'ask'
    ? requestAccepted(event, judgement.payeeFsp)
    : requestRefused(event, judgement)
}

/** The answer to a request with a known id. */
function repeated(
  event: RequestEvent,
  { quote, answer }: QuoteWithAnswer,
): readonly OutgoingMessage[] {
  const decision = decideRepeat(quote, repeatOf(event))
  switch (decision.type) {
    case 'none':
      return []
    case 'refuse':
      return [idUsed(event)]
    case 'error':
      return [errorMessage(event, decision)]
    case 'replay':
      return [replayStored(event, decision.legRole, answer)]
  }
}
