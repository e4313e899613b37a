/**
 * From events to callbacks. Each callback gets the address that its FSP registered and is published as
 * NotifyRequested, a batch in one publish; a missing address is reported, or sent to the sender of a
 * relayed message. Delivery reports become report events for the services that caused the callbacks.
 */
import type { EventBus, OutgoingMessage, PublishDerived } from '@causeway/bus'
import { derivedId, newEvent, onEvents, type DomainEvent } from '@causeway/events'
import {
  callbackAddress,
  canonicalJson,
  errorInformation,
  hubHeaders,
  resourceRules,
  type Resource,
  type ResourceRules,
} from '@causeway/fspiop'
import type { Participant, Participants } from '@causeway/participants'
import type { Service } from '@causeway/process'
import {
  bulkCallbackEvents,
  callbackEvents,
  triggeredCallbacks,
  type CallbackEvent,
  type CallbackTableRules,
} from '../callback-table.ts'
import {
  failureCallback,
  type Callback,
  type CallbackContent,
  type FailureNotice,
  type TriggeredCallback,
} from './callback.ts'
import { errorInformationOf } from '../contract.ts'
import { refuse } from '../refusals.ts'
import {
  failureCallbacks,
  reportEvents,
  reportLines,
  undeliveredQuestions,
  type ReportLine,
} from './reports.ts'
import type { Shedding } from '../load/shedding.ts'
import type { Sign } from '../signatures/sign.ts'

/** While one batch is being stored the next is prepared. */
const callback_batches_max = 2
/** Each of these events may have 5 MiB. */
const bulk_batch_max = 10
/** Reports are short, and no payment waits for them. */
const report_batch_max = 1_000

export interface CallbackConsumerParts {
  readonly bus: EventBus
  readonly callbacks: CallbackParts
  readonly rules: CallbackTableRules
  readonly shedding: Pick<Shedding, 'observe'>
}

/** Reports have a consumer of their own, so that no payment waits for a report. */
export async function openCallbackConsumers(parts: CallbackConsumerParts): Promise<Service> {
  const { bus, callbacks, rules, shedding } = parts
  const callbackConsumer = await onEvents(
    bus,
    'fspiop_api',
    callbackEvents,
    async (events, { publishDerived }) => {
      noteQueueDelays(shedding, events)
      const triggered = events.flatMap((event) => triggeredCallbacks(event, rules))
      await publishIfAny(publishDerived, await callbackMessages(triggered, callbacks, new Date()))
    },
    { batches_in_flight_max: callback_batches_max },
  )
  // A separate consumer, so that no payment waits behind a bulk. Its delays are not noted, because a bulk
  // takes long even without a queue.
  const bulkConsumer = await onEvents(
    bus,
    'fspiop_api.bulks',
    bulkCallbackEvents,
    async (events, { publishDerived }) => {
      const triggered = events.flatMap((event) => triggeredCallbacks(event, rules))
      await publishIfAny(publishDerived, await callbackMessages(triggered, callbacks, new Date()))
    },
    { batch_max: bulk_batch_max, givesWay: true },
  )
  const reportConsumer = await onEvents(
    bus,
    'fspiop_api',
    ['NotifyReport'],
    async (events, { publishDerived }) => {
      const failures = await callbackMessages(
        events.flatMap(failureCallbacks),
        callbacks,
        new Date(),
      )
      await publishIfAny(publishDerived, [
        ...reportEvents(events.flatMap(reportLines)),
        ...failures,
        ...events.flatMap(undeliveredQuestions),
      ])
    },
    { batch_max: report_batch_max },
  )
  return {
    async stop() {
      await callbackConsumer.stop()
      await bulkConsumer.stop()
      await reportConsumer.stop()
    },
  }
}

/** Notes how long the messages behind these events have been in the hub. */
function noteQueueDelays(
  shedding: Pick<Shedding, 'observe'>,
  events: readonly DomainEvent<CallbackEvent>[],
): void {
  const now_ms = Date.now()
  for (const { name, relay } of events) {
    if (relay?.receivedAt === undefined) continue
    shedding.observe(name, now_ms - Date.parse(relay.receivedAt))
  }
}

async function publishIfAny(
  publish: PublishDerived,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  if (messages.length > 0) await publish(messages)
}

export interface CallbackParts {
  readonly participants: Participants
  readonly hubName: string
  /** How long delivery is tried: of outcomes, of questions, and of anything else. */
  readonly outcome_ms: () => number
  readonly question_ms: () => number
  readonly relay_ms: () => number
  readonly onNoEndpoint: () => void
  /** Undefined: messages of the hub leave unsigned. */
  readonly sign: Sign | undefined
  /** The name and the key of the hosted auth service. */
  readonly authService: { readonly name: string; readonly sign: Sign | undefined }
}

/** The messages of a batch of callbacks; `now` is the Date of messages of the hub. */
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

/** An FSP without a cached address is read again once, together with all others of the batch. */
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
 * Messages between PISP and DFSP are not sent to an inactive participant, since no money depends on
 * them; a known participant without an address for them cannot be reached.
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

/** The destination is unknown, or has not registered an address for such messages. */
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
  const body = content.type === 'CREATED' ? bytesOf(content.body) : content.relay.body
  const payload = {
    notificationId,
    entityId: isUnordered(callback, causeName) ? notificationId : entityId,
    cause: { msgName: causeName, entityId },
    legRole: callback.role,
    destinationFspId: fspId,
    transport: { type: 'HTTP' as const, method, url, path },
    headers:
      content.type === 'CREATED'
        ? await madeHeaders(callback, content, body, {
            ...signatoryOf(content, parts),
            traceparent,
            now,
          })
        : callback.keepsDestination
          ? {}
          : { 'fspiop-destination': callback.destination ?? fspId },
    deadline:
      callback.deadline ?? new Date(now.getTime() + retryTime_ms(callback, parts)).toISOString(),
    reportRequired: isReported,
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(idempotency === undefined ? {} : { idempotency }),
  }
  return newEvent('fspiop-api', 'NotifyRequested', payload, {
    id: notificationId,
    relay: content.type === 'CREATED' ? { body } : content.relay,
    traceparent,
  })
}

/**
 * Party lookups and their answers need no order, so that no lookup of a well-known party waits for
 * another.
 */
function isUnordered({ resource }: Callback, causeName: string): boolean {
  return resource === 'parties' || causeName === 'ParticipantQueryResponse'
}

/** An answer to one of them is worth nothing once its user has given up. */
const momentary: ReadonlySet<Resource> = new Set<Resource>([
  'parties',
  'authorizations',
  'transactionRequests',
  'transactions',
  'accounts',
  'consentRequests',
  'services',
])

/** Only outcomes are useful hours later. */
function retryTime_ms({ method, resource }: Callback, parts: CallbackParts): number {
  if (method === 'GET') return parts.question_ms()
  const isOutcome = (method === 'PUT' || method === 'PATCH') && !momentary.has(resource)
  return isOutcome ? parts.outcome_ms() : parts.relay_ms()
}

function bytesOf(body: object): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(canonicalJson(body))
}

type Created = Extract<CallbackContent, { type: 'CREATED' }>

/** The sender of a message of the hub, and its signature; undefined: unsigned. */
interface Signatory {
  readonly name: string
  readonly sign: Sign | undefined
}

function signatoryOf({ from }: Created, { hubName, sign, authService }: CallbackParts): Signatory {
  return from === 'AUTH_SERVICE' ? authService : { name: hubName, sign }
}

async function madeHeaders(
  { method, resource, path, fspId }: Callback,
  { version, encryption }: Created,
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
  const { code, detail } = refuse('DESTINATION_UNKNOWN')
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
      errorInformation: errorInformationOf(errorInformation(code, detail)),
      reportedAt: now.toISOString(),
    },
  }
}
