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
  failureCallback,
  type TriggeredCallback,
  type FailureNotice,
  type Callback,
  type CallbackContent,
} from './callback.ts'
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
  callbacks: readonly TriggeredCallback[],
  parts: CallbackParts,
  now: Date,
): Promise<readonly OutgoingMessage[]> {
  const addressed = await addresses(callbacks, parts)
  const undeliverable: ReportLine[] = []
  const failures: TriggeredCallback[] = []
  const messages: Promise<OutgoingMessage>[] = []
  for (const { triggered, url, reason } of addressed) {
    if (url !== undefined && reason === undefined) {
      messages.push(notify(triggered, url, parts, now))
      continue
    }
    parts.onNoEndpoint()
    if (triggered.isReported) undeliverable.push(noEndpoint(triggered, now))
    if (triggered.onFailure !== undefined) {
      failures.push(unreachable(triggered, triggered.onFailure, reason ?? 'DESTINATION_UNKNOWN'))
    }
  }
  const failureMessages = failures.length === 0 ? [] : await callbackMessages(failures, parts, now)
  return [...(await Promise.all(messages)), ...failureMessages, ...reportEvents(undeliverable)]
}

interface Addressed {
  readonly triggered: TriggeredCallback
  readonly url: string | undefined
  /** Why it is not sent. */
  readonly reason: Unreachable | undefined
}

type Unreachable = 'DESTINATION_UNKNOWN' | 'DESTINATION_UNREACHABLE'

/** An FSP that seems to lack an address is asked for once afresh, together with all others of the batch. */
async function addresses(
  callbacks: readonly TriggeredCallback[],
  { participants }: CallbackParts,
): Promise<readonly Addressed[]> {
  const byFsp = new Map<string, Callback[]>()
  for (const { callback } of callbacks) {
    const ofFsp = byFsp.get(callback.fspId)
    if (ofFsp === undefined) byFsp.set(callback.fspId, [callback])
    else ofFsp.push(callback)
  }
  const hasAll = (participant: Participant) =>
    (byFsp.get(participant.name) ?? []).every((each) => urlOf(each, participant) !== undefined)
  const known = await participants.get([...byFsp.keys()], hasAll)
  return callbacks.map((triggered) => {
    const participant = known.get(triggered.callback.fspId)
    const url = urlOf(triggered.callback, participant)
    return { triggered, url, reason: reasonOf(triggered.callback, participant, url) }
  })
}

/**
 * What a PISP and a DFSP have for one another goes to no inactive participant, since no money waits for it;
 * and who is known but has no address for it cannot be reached.
 */
function reasonOf(
  { resource, content }: Callback,
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
function unreachable(
  triggered: TriggeredCallback,
  notice: FailureNotice,
  reason: Unreachable,
): TriggeredCallback {
  const { code, detail } = refuse(reason)
  return {
    ...triggered,
    callback: failureCallback(notice, triggered.callback.entityId, errorInformation(code, detail)),
    isReported: false,
    onFailure: undefined,
  }
}

function urlOf(each: Callback, participant: Participant | undefined): string | undefined {
  const { operation, path, variables } = each
  if (participant === undefined) return undefined
  return callbackAddress(participant.endpoints, operation, path, variables)
}

async function notify(
  {
    causeId,
    causeName,
    traceparent,
    callback,
    isReported,
    onFailure,
    idempotency,
  }: TriggeredCallback,
  url: string,
  parts: CallbackParts,
  now: Date,
): Promise<OutgoingMessage> {
  const { content, method, path, fspId, entityId } = callback
  const notificationId = derivedId(causeId, 'NotifyRequested', callback.name)
  const body = content.type === 'MADE' ? bytesOf(content.body) : content.relay.body
  const payload = {
    notificationId,
    entityId: isUnordered(callback, causeName) ? notificationId : entityId,
    cause: { msgName: causeName, entityId },
    legRole: callback.role,
    destinationFspId: fspId,
    transport: { type: 'HTTP' as const, method, url, path },
    headers:
      content.type === 'MADE'
        ? await madeHeaders(callback, content, body, {
            ...signatoryOf(content, parts),
            traceparent,
            now,
          })
        : { 'fspiop-destination': callback.destination ?? fspId },
    deadline:
      callback.deadline ?? new Date(now.getTime() + retryTime_ms(callback, parts)).toISOString(),
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
function isUnordered({ resource }: Callback, causeName: string): boolean {
  return resource === 'parties' || causeName === 'ParticipantQueryResponse'
}

/** Only what tells how something ended is worth telling hours later. */
function retryTime_ms({ method }: Callback, { outcome_ms, relay_ms }: CallbackParts): number {
  return method === 'PUT' || method === 'PATCH' ? outcome_ms : relay_ms
}

function bytesOf(body: object): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
}

type Made = Extract<CallbackContent, { type: 'MADE' }>

/** In whose name a message is made, and who signs it; undefined: nobody. */
interface Signatory {
  readonly name: string
  readonly sign: Sign | undefined
}

function signatoryOf({ from }: Made, { hubName, sign, authService }: CallbackParts): Signatory {
  return from === 'AUTH_SERVICE' ? authService : { name: hubName, sign }
}

async function madeHeaders(
  { method, resource, path, fspId }: Callback,
  { version, encryption }: Made,
  body: Buffer,
  {
    name: source,
    traceparent,
    sign,
    now,
  }: Signatory & { readonly traceparent: string | undefined; readonly now: Date },
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

function noEndpoint({ causeId, causeName, callback }: TriggeredCallback, now: Date): ReportLine {
  return {
    causeEventId: causeId,
    causeName,
    report: {
      notificationId: derivedId(causeId, 'NotifyRequested', callback.name),
      entityId: callback.entityId,
      legRole: callback.role,
      destinationFspId: callback.fspId,
      status: 'FAILED',
      attempts: 0,
      duration_ms: 0,
      lastError: 'no endpoint',
      reportedAt: now.toISOString(),
    },
  }
}
