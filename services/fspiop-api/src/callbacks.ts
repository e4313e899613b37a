/**
 * Legs become callbacks: each gets the address that its FSP registered and leaves as NotifyRequested,
 * all of a batch in one publish. Where there is no address, that is the report, or what the sender of
 * a message that is only passed on is told.
 */
import { derivedId, newEvent } from '@causeway/events'
import {
  callbackAddress,
  errorInformation,
  hubHeaders,
  resourceRules,
  type ResourceRules,
} from '@causeway/fspiop'
import type { Participant, Participants } from '@causeway/participants'
import type { OutgoingMessage } from '@causeway/runtime'
import {
  failureLeg,
  type CausedLeg,
  type FailureNotice,
  type Leg,
  type LegContent,
} from './legs.ts'
import { refuse } from './refusals.ts'
import { reportEvents, type ReportLine } from './reports.ts'
import type { Sign } from './sign.ts'

export interface CallbackParts {
  readonly participants: Participants
  readonly hubName: string
  /** How long an FSP is tried to be told how something ended, and how long anything else is tried. */
  readonly outcome_ms: number
  readonly relay_ms: number
  readonly onNoEndpoint: () => void
  /** Undefined: messages of the hub leave unsigned. */
  readonly sign: Sign | undefined
  /** In whose name the hosted auth service speaks, and with which key. */
  readonly authService: { readonly name: string; readonly sign: Sign | undefined }
}

/** The messages that a batch of legs becomes; `now` dates what the hub makes. */
export async function callbackMessages(
  legs: readonly CausedLeg[],
  parts: CallbackParts,
  now: Date,
): Promise<readonly OutgoingMessage[]> {
  const addressed = await addresses(legs, parts)
  const undeliverable: ReportLine[] = []
  const failures: CausedLeg[] = []
  const messages: Promise<OutgoingMessage>[] = []
  for (const { caused, url, reason } of addressed) {
    if (url !== undefined && reason === undefined) {
      messages.push(notify(caused, url, parts, now))
      continue
    }
    parts.onNoEndpoint()
    if (caused.isReported) undeliverable.push(noEndpoint(caused, now))
    if (caused.onFailure !== undefined) {
      failures.push(unreachable(caused, caused.onFailure, reason ?? 'DESTINATION_UNKNOWN'))
    }
  }
  const told = failures.length === 0 ? [] : await callbackMessages(failures, parts, now)
  return [...(await Promise.all(messages)), ...told, ...reportEvents(undeliverable)]
}

interface Addressed {
  readonly caused: CausedLeg
  readonly url: string | undefined
  /** Why it is not sent. */
  readonly reason: Unreachable | undefined
}

type Unreachable = 'DESTINATION_UNKNOWN' | 'DESTINATION_UNREACHABLE'

/** An FSP that seems to lack an address is asked for once afresh, together with all others of the batch. */
async function addresses(
  legs: readonly CausedLeg[],
  { participants }: CallbackParts,
): Promise<readonly Addressed[]> {
  const legsOf = new Map<string, Leg[]>()
  for (const { leg } of legs) {
    const ofFsp = legsOf.get(leg.fspId)
    if (ofFsp === undefined) legsOf.set(leg.fspId, [leg])
    else ofFsp.push(leg)
  }
  const hasAll = (participant: Participant) =>
    (legsOf.get(participant.name) ?? []).every((leg) => urlOf(leg, participant) !== undefined)
  const known = await participants.get([...legsOf.keys()], hasAll)
  return legs.map((caused) => {
    const participant = known.get(caused.leg.fspId)
    const url = urlOf(caused.leg, participant)
    return { caused, url, reason: reasonOf(caused.leg, participant, url) }
  })
}

/**
 * What a PISP and a DFSP have for one another goes to no inactive participant, since no money waits for it;
 * and who is known but has no address for it cannot be reached.
 */
function reasonOf(
  { resource, content }: Leg,
  participant: Participant | undefined,
  url: string | undefined,
): Unreachable | undefined {
  const rules: ResourceRules = resourceRules[resource]
  if (participant === undefined) return 'DESTINATION_UNKNOWN'
  if (rules.isThirdParty !== true) return url === undefined ? 'DESTINATION_UNKNOWN' : undefined
  if (content.type === 'RELAYED' && !participant.isActive) return 'DESTINATION_UNKNOWN'
  return url === undefined ? 'DESTINATION_UNREACHABLE' : undefined
}

/** Whom the message was for is unknown, or has not said where it wants such messages. */
function unreachable(caused: CausedLeg, notice: FailureNotice, reason: Unreachable): CausedLeg {
  const { code, detail } = refuse(reason)
  return {
    ...caused,
    leg: failureLeg(notice, caused.leg.entityId, errorInformation(code, detail)),
    isReported: false,
    onFailure: undefined,
  }
}

function urlOf(leg: Leg, participant: Participant | undefined): string | undefined {
  const { operation, path, variables } = leg
  if (participant === undefined) return undefined
  return callbackAddress(participant.endpoints, operation, path, variables)
}

async function notify(
  { causeId, causeName, traceparent, leg, isReported, onFailure, idempotency }: CausedLeg,
  url: string,
  parts: CallbackParts,
  now: Date,
): Promise<OutgoingMessage> {
  const { content, method, path, fspId, entityId } = leg
  const notificationId = derivedId(causeId, 'NotifyRequested', leg.name)
  const body = content.type === 'MADE' ? bytesOf(content.body) : content.relay.body
  const payload = {
    notificationId,
    entityId: isOfItsOwn(leg, causeName) ? notificationId : entityId,
    cause: { msgName: causeName, entityId },
    legRole: leg.role,
    destinationFspId: fspId,
    transport: { type: 'HTTP' as const, method, url, path },
    headers:
      content.type === 'MADE'
        ? await madeHeaders(leg, content, body, { ...speakerOf(content, parts), traceparent, now })
        : { 'fspiop-destination': leg.destination ?? fspId },
    deadline: leg.deadline ?? new Date(now.getTime() + patience_ms(leg, parts)).toISOString(),
    reportRequired: isReported,
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(idempotency === undefined ? {} : { idempotency }),
  }
  return newEvent('fspiop-api', 'NotifyRequested', payload, {
    id: notificationId,
    relay: content.type === 'MADE' ? { body } : content.relay,
    traceparent,
  })
}

/**
 * Questions whose a party is and their answers keep no order among each other: however many ask for a
 * well-known party, none waits for another.
 */
function isOfItsOwn({ resource }: Leg, causeName: string): boolean {
  return resource === 'parties' || causeName === 'ParticipantQueryResponse'
}

/** Only what tells how something ended is worth telling hours later. */
function patience_ms({ method }: Leg, { outcome_ms, relay_ms }: CallbackParts): number {
  return method === 'PUT' || method === 'PATCH' ? outcome_ms : relay_ms
}

function bytesOf(body: object): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
}

type Made = Extract<LegContent, { type: 'MADE' }>

/** In whose name a message is made, and who signs it; undefined: nobody. */
interface Speaker {
  readonly name: string
  readonly sign: Sign | undefined
}

function speakerOf({ from }: Made, { hubName, sign, authService }: CallbackParts): Speaker {
  return from === 'AUTH_SERVICE' ? authService : { name: hubName, sign }
}

async function madeHeaders(
  { method, resource, path, fspId }: Leg,
  { version, encryption }: Made,
  body: Buffer,
  {
    name: source,
    traceparent,
    sign,
    now,
  }: Speaker & { readonly traceparent: string | undefined; readonly now: Date },
): Promise<Record<string, string>> {
  const headers = {
    ...hubHeaders({ method, resource, path, version, source, destination: fspId, date: now }),
    ...(encryption === undefined ? {} : { 'fspiop-encryption': encryption }),
  }
  const signature = await sign?.(headers, body)
  return {
    ...headers,
    ...(signature === undefined ? {} : { 'fspiop-signature': signature }),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}

function noEndpoint({ causeId, causeName, leg }: CausedLeg, now: Date): ReportLine {
  return {
    causeEventId: causeId,
    causeName,
    report: {
      notificationId: derivedId(causeId, 'NotifyRequested', leg.name),
      entityId: leg.entityId,
      legRole: leg.role,
      destinationFspId: leg.fspId,
      status: 'FAILED',
      attempts: 0,
      duration_ms: 0,
      lastError: 'no endpoint',
      reportedAt: now.toISOString(),
    },
  }
}
