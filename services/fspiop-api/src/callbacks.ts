/**
 * Events become callbacks: each leg gets the address that its FSP registered and leaves as
 * NotifyRequested, all of a batch in one publish. Where there is no address, that is the report.
 */
import { derivedId, newEvent, type DomainEvent } from '@causeway/events'
import {
  callbackUrl,
  endpointTypeOf,
  hubHeaders,
  isEndpointType,
  type EndpointType,
} from '@causeway/fspiop'
import type { Participant, Participants } from '@causeway/participants'
import type { OutgoingMessage } from '@causeway/runtime'
import type { Leg } from './legs.ts'
import { reportEvents, type ReportedEvent, type ReportLine } from './reports.ts'

/** A leg with the event that caused it. */
export interface CausedLeg {
  readonly event: DomainEvent<ReportedEvent>
  readonly leg: Leg
}

export interface CallbackParts {
  readonly participants: Participants
  readonly hubName: string
  readonly outcome_ms: number
  readonly onNoEndpoint: () => void
}

/** The messages that a batch of legs becomes; `now` dates what the hub makes. */
export async function callbackMessages(
  legs: readonly CausedLeg[],
  { participants, hubName, outcome_ms, onNoEndpoint }: CallbackParts,
  now: Date,
): Promise<readonly OutgoingMessage[]> {
  const needed = new Map<string, Set<EndpointType>>()
  for (const { leg } of legs) {
    const types = needed.get(leg.fspId) ?? new Set()
    needed.set(leg.fspId, types.add(typeOf(leg)))
  }
  const hasAll = ({ name, endpoints }: Participant) =>
    [...(needed.get(name) ?? [])].every((type) => endpoints.has(type))
  const known = await participants.get([...needed.keys()], hasAll)

  const messages: OutgoingMessage[] = []
  const undeliverable: ReportLine[] = []
  for (const { event, leg } of legs) {
    const notificationId = derivedId(event.id, 'NotifyRequested', leg.name)
    const url = urlOf(leg, known.get(leg.fspId))
    if (url === undefined) {
      onNoEndpoint()
      undeliverable.push(noEndpoint(event, leg, notificationId, now))
    } else {
      const deadline = leg.deadline ?? new Date(now.getTime() + outcome_ms).toISOString()
      messages.push(notify(event, leg, { notificationId, url, deadline, hubName, now }))
    }
  }
  return [...messages, ...reportEvents(undeliverable)]
}

function typeOf({ operation }: Leg): EndpointType {
  const type = endpointTypeOf(operation)
  if (type === undefined) throw new Error(`no endpoint type serves ${operation}`)
  return type
}

function urlOf(leg: Leg, participant: Participant | undefined): string | undefined {
  const type = typeOf(leg)
  const value = participant?.endpoints.get(type)
  if (value === undefined || !isEndpointType(type)) return undefined
  const url = callbackUrl(type, value, leg.path, leg.variables)
  return url !== undefined && URL.canParse(url) ? url : undefined
}

interface Address {
  readonly notificationId: string
  readonly url: string
  readonly deadline: string
  readonly hubName: string
  readonly now: Date
}

function notify(
  event: DomainEvent,
  leg: Leg,
  { notificationId, url, deadline, hubName, now }: Address,
): OutgoingMessage {
  const { content, method, resource, path, fspId } = leg
  const isMade = content.type === 'MADE'
  const { traceparent } = event
  const headers: Record<string, string> = isMade
    ? {
        ...hubHeaders({
          method,
          resource,
          path,
          version: content.version,
          source: hubName,
          destination: fspId,
          date: now,
        }),
        ...(traceparent === undefined ? {} : { traceparent }),
      }
    : { 'fspiop-destination': fspId }
  const payload = {
    notificationId,
    entityId: leg.entityId,
    cause: { msgName: event.name, entityId: leg.entityId },
    legRole: leg.role,
    destinationFspId: fspId,
    transport: { type: 'HTTP' as const, method, url },
    headers,
    deadline,
    reportRequired: true,
  }
  return newEvent('fspiop-api', 'NotifyRequested', payload, {
    id: notificationId,
    relay: isMade ? { body: Buffer.from(JSON.stringify(content.body)) } : content.relay,
    traceparent,
  })
}

function noEndpoint(
  event: DomainEvent<ReportedEvent>,
  leg: Leg,
  notificationId: string,
  now: Date,
): ReportLine {
  return {
    causeEventId: event.id,
    causeName: event.name,
    report: {
      notificationId,
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
