/**
 * The steps of a request: parse, identity, headers, source, signature, schema, publish. Each step is a
 * function that accepts or refuses it. Nothing is acknowledged before it is stored.
 */
import type { OutgoingMessage } from '@causeway/bus'
import {
  checkHeaders,
  furtherHeadersFault,
  matchPath,
  readEncryptedPaths,
  responseContentType,
  type AcceptedHeaders,
  type EncryptedPath,
  type Headers,
  type Method,
  type Operation,
  type PathMatch,
  type PathParameters,
  type Refusal,
  type Resource,
  type Version,
} from '@causeway/fspiop'
import type { DecimalBounds } from '@causeway/money'
import type { Participant, Participants } from '@causeway/participants'
import { isOutage } from '@causeway/process'
import type { Priority } from './load/admission.ts'
import type { AnswerQuotas } from './load/answer-quotas.ts'
import { messageIn, type Answers } from './answers/answers.ts'
import type { TriggeredCallback } from './callbacks/callback.ts'
import { refuse, type Compatibility } from './refusals.ts'
import type { CheckSignature } from './signatures/verify.ts'
import type { RecordRequest } from './tracing.ts'

/** A message with valid headers from a sender that may send it. */
export interface Incoming {
  readonly parameters: PathParameters
  readonly source: string
  /** Undefined when absent, empty or the hub itself; filled in from the body or a lookup. */
  readonly destination: string | undefined
  /** The version of answers to the sender. */
  readonly version: Version
  readonly headers: Headers
  /** Path and query of the request line, as received. */
  readonly target: string
  readonly body: Buffer
  /** Encrypted paths of the body. */
  readonly encrypted: readonly EncryptedPath[]
  /** When the last byte was received, ISO 8601. */
  readonly receivedAt: string
  /** The key that its signature names, '' when it names none; undefined: nothing was verified. */
  readonly kid: string | undefined
  /** Selects the error codes of its faults. */
  readonly compatibility: Compatibility
  /** How fine amounts may be; undefined: four decimals in every currency. */
  readonly decimals: DecimalBounds | undefined
  /** The headers beside those of the API that are relayed. */
  readonly relayedHeaders: ReadonlySet<string>
}

/** The result of reading a message: an event to store before the response, nothing, or a refusal. */
export type ReadResult =
  | {
      readonly type: 'PUBLISH'
      readonly event: OutgoingMessage
      /** The last moment at which it is stored in time, in ms since 1970; absent: a grace after its last byte. */
      readonly inTimeUntil_ms?: number
    }
  /** Only relayed: no service stores it. */
  | {
      readonly type: 'RELAY'
      readonly triggered: TriggeredCallback
      /** Events that are stored together with it. */
      readonly alongside?: readonly OutgoingMessage[]
    }
  /** Needs an asynchronous query first. */
  | { readonly type: 'LATER'; readonly reading: () => Promise<ReadResult> }
  | { readonly type: 'IGNORE' }
  | { readonly type: 'REFUSE'; readonly refusal: Refusal }

export interface ServedRoute {
  readonly priority: Priority
  /** False: it completes something, or is a ping; an inactive FSP may send it. */
  readonly needsActiveSource: boolean
  /** An answer that no service matches with its request: quotas apply, and the edge checks its sender. */
  readonly isUnmatched?: true | undefined
  /** An answer that is itself answered. */
  readonly isAnswered?: true
  /**
   * It has up to 1,000 items, or is answered with as many. Where messages of its FSP are bounded it counts
   * as one for each 8 KiB of its body, or as the largest bulk; absent: as one.
   */
  readonly weight?: 'BODY' | 'LARGEST_BULK'
  /** transfers works on it together with all other messages about bulk transfers. */
  readonly isOfBulkTransfer?: true
  /** The largest body; when omitted, the maximum of the API. */
  readonly body_bytes_max?: number
  /**
   * Its 200 confirms that it was in time, so it is refused when that can no longer be determined.
   */
  readonly confirmsTime?: true
  /** The status of the acknowledgement when it is not 202, or 200 for PUT and PATCH. */
  readonly status?: number
  /** A message of a source that is not a participant is acknowledged and discarded. */
  readonly ignoresUnknownSource?: true
  /** Its {ID} is relayed and never interpreted, so it may be any text that is legal in a path. */
  readonly takesAnyId?: true
  readonly read: (message: Incoming) => ReadResult
}

export type ServedRoutes = Readonly<Partial<Record<Operation, ServedRoute>>>

/** A request as it was received. */
export interface Received {
  readonly headers: Headers
  readonly target: string
  readonly body: Buffer
  readonly receivedAt: string
}

/** The result of the header checks: the source may send the message, so its body is read. */
export interface Head {
  readonly check: AcceptedHeaders
  /** Content-Type of the response. */
  readonly contentType: string
  /** Its source is not a participant: it is read, acknowledged and discarded. */
  readonly isIgnored: boolean
}

export type HeadReading =
  | { readonly type: 'GOOD'; readonly head: Head }
  | { readonly type: 'REFUSED'; readonly answer: EdgeResponse }

/** A request whose path and method are served. */
export interface Routed {
  readonly method: Method
  readonly resource: Resource
  readonly match: Extract<PathMatch, { kind: 'ROUTE' }>
  readonly route: ServedRoute
}

export interface EdgeResponse {
  readonly status: number
  readonly contentType: string
  /** For 405. */
  readonly allow?: readonly string[]
  /** Undefined in an acknowledgement, which has no body. */
  readonly refusal?: Refusal
}

export interface Edge {
  /** How fine amounts may be now. */
  readonly decimals: () => DecimalBounds | undefined
  readonly served: ServedRoutes
  readonly participants: Participants
  readonly quotas: AnswerQuotas
  readonly answers: Answers
  readonly hubName: string
  /** The hosted auth service as a participant; empty: none is hosted. */
  readonly authService: string
  readonly compatibility: Compatibility
  /** The headers beside those of the API that are relayed, in lower case. */
  readonly relayedHeaders: ReadonlySet<string>
  /** Undefined: signatures are not verified. */
  readonly checkSignature: CheckSignature | undefined
  /** The time after its expiration at which a transfer may be voided. */
  readonly expiryGrace_ms: number
  readonly now_ms: () => number
  /** The messages that relay a message, or report the error to its sender. */
  readonly relay: (caused: TriggeredCallback) => Promise<readonly OutgoingMessage[]>
  /** Resolves when the events are durable; rejects when they are not within their time. */
  readonly publish: (events: readonly OutgoingMessage[]) => Promise<void>
  /** Undefined: no traces are recorded. */
  readonly record?: RecordRequest | undefined
}

/** Parse: the route of a request, or the answer when there is none. */
export function routeOf(
  served: ServedRoutes,
  method: string,
  path: string,
): { readonly routed: Routed } | { readonly answer: EdgeResponse } {
  const match = matchPath(method, path)
  if (match.kind === 'PATH_UNKNOWN') {
    return { answer: refused(refuse('PATH_UNKNOWN'), 'application/json') }
  }
  const { resource } = match
  if (match.kind === 'METHOD_UNKNOWN') {
    const answer = refused(refuse('METHOD_UNKNOWN'), responseContentType(resource))
    return { answer: { ...answer, allow: match.allow } }
  }
  const route = served[match.operation]
  if (route === undefined) {
    return { answer: refused(refuse('NOT_SERVED'), responseContentType(resource)) }
  }
  return { routed: { method: method as Method, resource, match, route } }
}

/**
 * All header checks after parsing and authentication; synchronous when the source is cached. Then a sender
 * that may not send the message is refused before any of its body is read.
 */
export function readHead(
  edge: Edge,
  { method, resource, route }: Routed,
  headers: Headers,
  identity: string,
): HeadReading | Promise<HeadReading> {
  if (namesAnother(headers, identity)) {
    return refusedHead(refuse('IDENTITY_IS_NOT_SOURCE'), responseContentType(resource))
  }
  const isMojaloop = edge.compatibility === 'mojaloop'
  const check = checkHeaders(method, resource, headers, { judgesEveryAccept: isMojaloop })
  const contentType = responseContentType(resource, check)
  if (!check.accepted) return refusedHead(check.refusal, contentType)
  const further = furtherHeadersFault(headers, edge.relayedHeaders)
  if (further !== undefined) return refusedHead(further, contentType)
  // As for the hub itself: no client may use its name.
  if (check.source === edge.authService) {
    return refusedHead(refuse('SOURCE_UNKNOWN', edge.compatibility), contentType)
  }
  const good = (isIgnored: boolean): HeadReading => {
    const fault = quotaFault(edge, route, check)
    return fault === undefined
      ? { type: 'GOOD', head: { check, contentType, isIgnored } }
      : refusedHead(fault, contentType)
  }
  if (maySend(edge.participants.peek(check.source), route)) return good(false)
  return sourceFault(edge, check.source, route).then((fault) =>
    fault === undefined || fault === 'IGNORED'
      ? good(fault === 'IGNORED')
      : refusedHead(fault, contentType),
  )
}

/**
 * Counts a request, or checks the quota of an answer. Routes with the priority LOOKUP are requests.
 */
function quotaFault(
  { quotas, now_ms }: Edge,
  { priority, isUnmatched }: ServedRoute,
  { source, destination }: AcceptedHeaders,
): Refusal | undefined {
  if (priority === 'LOOKUP') quotas.countRequest(source, now_ms())
  else if (isUnmatched && destination !== undefined) {
    return quotas.allows(source, destination, now_ms()) ? undefined : refuse('TOO_MANY_UNSOLICITED')
  }
  return undefined
}

function refusedHead(refusal: Refusal, contentType: string): HeadReading {
  return { type: 'REFUSED', answer: refused(refusal, contentType) }
}

/** Everything after the head, up to the answer. */
export async function workOn(
  edge: Edge,
  routed: Routed,
  { check, contentType, isIgnored }: Head,
  received: Received,
): Promise<EdgeResponse> {
  const { method, match, route } = routed
  const { headers, target, body, receivedAt } = received
  const { source } = check
  // A source that is not a participant has no key.
  const checked = isIgnored
    ? undefined
    : edge.checkSignature?.({ source, method, target, headers, body })
  const signed = checked instanceof Promise ? await checked : checked
  if (signed !== undefined && 'code' in signed) return refused(signed, contentType)

  const encryption = encryptionOf(headers, edge.compatibility)
  if ('code' in encryption) return refused(encryption, contentType)
  if (match.fault !== undefined && !(route.takesAnyId && isRelayable(match.parameters.ID))) {
    return refused(match.fault, contentType)
  }
  const read = route.read({
    parameters: match.parameters,
    source,
    destination: check.destination === edge.hubName ? undefined : check.destination,
    version: versionOf(check),
    headers,
    target,
    body,
    encrypted: encryption.paths,
    receivedAt,
    kid: signed?.kid,
    compatibility: edge.compatibility,
    decimals: edge.decimals(),
    relayedHeaders: edge.relayedHeaders,
  })
  const reading = read.type === 'LATER' ? await read.reading() : read
  if (reading.type === 'REFUSE') return refused(reading.refusal, contentType)
  const sent = messageIn(reading, match, source)
  if (sent !== undefined) {
    const reason = route.isUnmatched ? await edge.answers.faultOf(sent) : undefined
    if (reason !== undefined) return refused(refuse(reason), contentType)
    if (!route.isUnmatched || route.isAnswered) edge.answers.note(sent)
  }
  if (route.confirmsTime && mayHaveExpired(edge, receivedAt, reading)) {
    return refused(refuse('NOT_STORED_IN_TIME'), contentType)
  }
  const request = { operation: match.operation, source, headers, receivedAt }
  const unstored = isIgnored ? undefined : await store(edge, reading, request)
  if (unstored !== undefined) return refused(unstored, contentType)
  const status = route.status ?? (method === 'PUT' || method === 'PATCH' ? 200 : 202)
  return { status, contentType }
}

/** With Mojaloop compatibility an invalid encryption header is ignored; existing clients send such. */
function encryptionOf(headers: Headers, compatibility: Compatibility) {
  const reading = readEncryptedPaths(headers)
  const isNone = 'code' in reading && reading.code === '3101' && compatibility === 'mojaloop'
  return isNone ? { paths: [] } : reading
}

const relayablePattern = /^(?!\.{1,2}$)[^\x00-\x1f\x7f]{1,128}$/u

/** Text that can be stored and is one segment of a path. */
function isRelayable(id: string | undefined): boolean {
  return id !== undefined && relayablePattern.test(id)
}

/** A missing source is not a mismatch: the header check refuses it. */
function namesAnother(headers: Headers, identity: string): boolean {
  const source = headers['fspiop-source']
  return source !== undefined && source !== '' && source !== identity
}

/**
 * An expired transfer is voided once everything published until a grace after its expiry is consumed. A
 * message published within a grace of its last byte is therefore consumed before that; for one that took
 * longer this is unknown, unless transfers awaits it. Without a grace there is no guarantee.
 */
function mayHaveExpired(
  { expiryGrace_ms, now_ms }: Edge,
  receivedAt: string,
  reading: ReadResult,
): boolean {
  if (expiryGrace_ms === 0) return false
  const awaited_ms = reading.type === 'PUBLISH' ? reading.inTimeUntil_ms : undefined
  return now_ms() > (awaited_ms ?? Date.parse(receivedAt) + expiryGrace_ms)
}

/** A refusal when the messages could not be stored. */
async function store(
  edge: Edge,
  reading: ReadResult,
  request: Parameters<RecordRequest>[0],
): Promise<Refusal | undefined> {
  if (reading.type !== 'PUBLISH' && reading.type !== 'RELAY') return undefined
  let messages: readonly OutgoingMessage[]
  try {
    messages =
      reading.type === 'PUBLISH'
        ? [reading.event]
        : [...(reading.alongside ?? []), ...(await edge.relay(reading.triggered))]
  } catch (error) {
    if (isOutage(error)) return refuse('PARTICIPANTS_UNAVAILABLE')
    throw error
  }
  try {
    if (edge.record === undefined) await edge.publish(messages)
    else await edge.record(request, messages, edge.publish)
    return undefined
  } catch {
    return refuse('NOT_STORABLE')
  }
}

export function refused(refusal: Refusal, contentType: string): EdgeResponse {
  return { status: refusal.status, contentType, refusal }
}

function versionOf({ acceptVersion, contentVersion }: AcceptedHeaders): Version {
  return acceptVersion ?? contentVersion
}

function maySend(participant: Participant | undefined, route: ServedRoute): boolean {
  if (participant === undefined || participant.isClosed) return false
  return participant.isActive || !route.needsActiveSource
}

/** The cached participant may not send it: read again once before it is refused. */
async function sourceFault(
  { participants, compatibility }: Edge,
  source: string,
  route: ServedRoute,
): Promise<Refusal | 'IGNORED' | undefined> {
  let participant: Participant | undefined
  try {
    participant = await participants.getFresh(source)
  } catch {
    return refuse('PARTICIPANTS_UNAVAILABLE')
  }
  if (participant === undefined) {
    return route.ignoresUnknownSource ? 'IGNORED' : refuse('SOURCE_UNKNOWN', compatibility)
  }
  if (participant.isClosed) return refuse('SOURCE_CLOSED')
  return maySend(participant, route) ? undefined : refuse('SOURCE_INACTIVE')
}
