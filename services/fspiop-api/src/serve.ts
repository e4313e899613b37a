/**
 * From an HTTP request to its response. Requests on the API's paths go straight to their route;
 * Express serves the other pages.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errorInformation, responseContentType, type Refusal } from '@causeway/fspiop'
import { setTimeout as wait } from 'node:timers/promises'
import { noteClient, pauseReadingAfter, retryAfter } from '@causeway/http'
import type { Logger, SecurityEvent, SecurityEvents } from '@causeway/process'
import { isAnswer, type Admission } from './load/admission.ts'
import type { BacklogKind, BulkBacklog } from './load/bulk-backlog.ts'
import {
  readHead,
  refused,
  routeOf,
  workOn,
  type EdgeResponse,
  type Edge,
  type Routed,
} from './chain.ts'
import type { FloodRate } from './load/flood-rate.ts'
import type { Floods } from './load/floods.ts'
import type { Challenge, Identify } from './identity/identity.ts'
import type { EdgeMeasures } from './measures.ts'
import type { Pacing } from './load/pacing.ts'
import type { Rates } from './load/rates.ts'
import { announcedBytes, body_bytes_max, receiveBody } from './bodies/receive.ts'
import { refusalType, refuse, type Reason } from './refusals.ts'
import type { Shedding } from './load/shedding.ts'

/** A part of a bulk that counts as one request: about ten items, which cost as much as one. */
const bulkRequest_bytes = 8_192
/** The same of a bulk of 1,000 items. */
const largestBulk_requests = 100

export interface EdgeServeParts {
  readonly edge: Edge
  readonly identify: Identify
  readonly challenge: Challenge
  readonly rates: Rates
  readonly bulkBacklog: BulkBacklog
  readonly admission: Admission
  readonly shedding: Shedding
  readonly floods: Floods
  readonly floodRate: FloodRate
  readonly pacing: Pacing
  readonly measures: EdgeMeasures
  readonly securityEvents: SecurityEvents
  readonly log: Logger
}

/** Answers the request; false when its path is not part of the API and nothing was done. */
export function serveApi(
  parts: EdgeServeParts,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { method = '' } = request
  const parsed = routeOf(parts.edge.served, method, pathOf(targetOf(request)))
  if ('routed' in parsed) {
    void serveRouted(parts, parsed.routed, request, response)
    return true
  }
  if (parsed.answer.status === 404) return false
  send(parts, request, response, parsed.answer)
  return true
}

async function serveRouted(
  parts: EdgeServeParts,
  routed: Routed,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { log } = parts
  try {
    const unread = unreadable(request)
    if (unread !== undefined) {
      // The end of the body is unknown, so the connection cannot be reused.
      if (unread === 'TRANSFER_CODING_UNKNOWN') response.shouldKeepAlive = false
      send(parts, request, response, refusedAt(routed, refuse(unread)))
      return
    }
    const answering = parts.identify(request)
    const identity = answering instanceof Promise ? await answering : answering
    if (identity.type === 'REFUSED') {
      // The client would use the connection for as long as it keeps it open.
      if (endsConnection.has(identity.reason)) response.shouldKeepAlive = false
      send(parts, request, response, refusedAt(routed, refuse(identity.reason)))
      return
    }
    const { fspId, ownsConnection } = identity
    noteClient(request, fspId)
    const isFirst = isFirstOn(request.socket)
    const turn = turnOf(parts, routed, request, fspId)
    if (turn.wait_ms > 0) await wait(turn.wait_ms)
    const reason = turn.refusal ?? admit(parts, routed, request, fspId)
    if (reason !== undefined) {
      const pause_ms = ownsConnection ? parts.floods.pause_ms(fspId) : 0
      const sendRefusal = () => send(parts, request, response, refusedAt(routed, refuse(reason)))
      if (pause_ms === 0) sendRefusal()
      else slowDown({ response, pause_ms, isFirst, sendRefusal })
      return
    }
    const answer = await answerAdmitted(parts, routed, request, fspId)
    if (answer !== undefined) send(parts, request, response, answer)
  } catch (error) {
    log.error(
      { err: error, operation: routed.match.operation },
      'a request failed with an internal error',
    )
    send(parts, request, response, refusedAt(routed, refuse('FAULT')))
  }
}

/** The certificate that the connection began with identifies nobody any more. */
const endsConnection: ReadonlySet<Reason> = new Set(['CERTIFICATE_ENDED', 'CERTIFICATE_REVOKED'])

/** Connections on which a request was received. */
const used = new WeakSet<Socket>()

function isFirstOn(socket: Socket): boolean {
  if (used.has(socket)) return false
  used.add(socket)
  return true
}

interface Flooding {
  readonly response: ServerResponse
  readonly pause_ms: number
  /** The request is the first on its connection. */
  readonly isFirst: boolean
  readonly sendRefusal: () => void
}

/**
 * The connection is not read for a while after the refusal. A client that opens a connection for each
 * request would not notice: it gets the refusal that much later.
 */
function slowDown({ response, pause_ms, isFirst, sendRefusal }: Flooding): void {
  if (isFirst) {
    setTimeout(sendRefusal, pause_ms).unref()
    return
  }
  pauseReadingAfter(response, pause_ms)
  sendRefusal()
}

/** Bodies are read with Content-Length or chunked, never compressed. */
function unreadable({ headers }: IncomingMessage): Reason | undefined {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return 'CONTENT_ENCODED'
  const coding = headers['transfer-encoding']
  return coding === undefined || coding === 'chunked' ? undefined : 'TRANSFER_CODING_UNKNOWN'
}

interface Turn {
  readonly wait_ms: number
  readonly refusal?: 'TOO_MANY' | 'TOO_MANY_OF_BULKS' | 'BUSY'
}

const now: Turn = { wait_ms: 0 }
const tooMany: Turn = { wait_ms: 0, refusal: 'TOO_MANY' }
const tooManyOfBulks: Turn = { wait_ms: 0, refusal: 'TOO_MANY_OF_BULKS' }
const busy: Turn = { wait_ms: 0, refusal: 'BUSY' }

/**
 * When the request may be admitted. Bounds apply to the FSP that the channel authenticates, so that no
 * FSP can exhaust another's.
 */
function turnOf(
  { admission, bulkBacklog, floods, pacing, rates }: EdgeServeParts,
  routed: Routed,
  request: IncomingMessage,
  identity: string,
): Turn {
  const { weight, isOfBulkTransfer } = routed.route
  const kind = kindOf(routed)
  const isFull = isOfBulkTransfer === true && !bulkBacklog.hasRoom(identity, kind)
  const requests = requestsOf(routed, announcedBytes(request, body_bytes_max))
  if (kind === 'answers') {
    if (isFull) return tooManyOfBulks
    if (weight === undefined) return now
    const known = isChunked(request) ? 1 : requests
    return rates.allows(answersOf(identity), Date.now(), known) ? now : tooMany
  }
  floods.countRequest(identity, admission.inProgressOf(identity) + 1)
  if (isFull || !rates.allows(identity, Date.now(), requests)) {
    floods.countRefused(identity)
    return isFull ? tooManyOfBulks : tooMany
  }
  const wait_ms = pacing.wait_ms(identity)
  if (wait_ms === 0) return now
  if (wait_ms === Infinity) {
    floods.countRefused(identity)
    return busy
  }
  floods.countHeld(identity)
  return { wait_ms }
}

/** The size of the body is known at its end. */
function isChunked({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

/** Answers to bulks have a rate of their own, so that the requests of an FSP refuse none of them. */
function answersOf(identity: string): string {
  // No name of an FSP has a line break.
  return `${identity}\nanswers`
}

/** Why the request is refused; when undefined, `answerAdmitted` must follow. */
function admit(
  { admission, floods }: EdgeServeParts,
  routed: Routed,
  request: IncomingMessage,
  identity: string,
): 'BUSY' | undefined {
  const { priority } = routed.route
  const bytes = announcedBytes(request, bytesMaxOf(routed))
  if (admission.enter(identity, bytes, priority)) return undefined
  if (!isAnswer(priority)) floods.countRefused(identity)
  return 'BUSY'
}

/** Undefined when the connection ended before the body did: the message is discarded. */
async function answerAdmitted(
  parts: EdgeServeParts,
  routed: Routed,
  request: IncomingMessage,
  identity: string,
): Promise<EdgeResponse | undefined> {
  const { priority } = routed.route
  const bytes = announcedBytes(request, bytesMaxOf(routed))
  try {
    return await answerTo(parts, routed, request, identity)
  } finally {
    parts.admission.leave(identity, bytes, priority)
  }
}

/** Undefined when the connection ended before the body did: the message is discarded. */
async function answerTo(
  parts: EdgeServeParts,
  routed: Routed,
  request: IncomingMessage,
  identity: string,
): Promise<EdgeResponse | undefined> {
  const { edge, floodRate, measures, shedding } = parts
  const bytes_max = bytesMaxOf(routed)
  const reading = readHead(edge, routed, request.headers, identity)
  // While the sender is looked up its body arrives: how long that takes does not make an answer late.
  const receiving = reading instanceof Promise ? receiveBody(request, bytes_max) : undefined
  const checked = reading instanceof Promise ? await reading : reading
  if (checked.type === 'REFUSED') return checked.answer
  const body = await (receiving ?? receiveBody(request, bytes_max))
  switch (body.type) {
    case 'CUT':
      measures.cut()
      return undefined
    case 'TOO_LARGE':
      return refusedAt(routed, {
        ...refuse('BODY_TOO_LARGE'),
        detail: `the body has more than ${bytes_max} bytes`,
      })
    case 'WHOLE': {
      const { received_ms } = body
      if (isChunked(request)) countBody(parts, routed, identity, body.bytes.length)
      shedding.begin()
      const working = workOn(edge, routed, checked.head, {
        headers: request.headers,
        target: targetOf(request),
        body: body.bytes,
        receivedAt: new Date(received_ms).toISOString(),
      })
      const answer = await working.finally(() => shedding.end())
      // The first sign of a queue: storing a request is delayed before any event that it causes.
      if (answer.refusal === undefined) {
        if (routed.route.isOfBulkTransfer === true) {
          const requests = requestsOf(routed, body.bytes.length)
          parts.bulkBacklog.stored(identity, kindOf(routed), requests)
        }
        const stored_ms = Date.now() - received_ms
        shedding.observe('stored', stored_ms)
        floodRate.observe(stored_ms)
      }
      return answer
    }
  }
}

/** The rest of a chunked answer, which counted as one request at its head. */
function countBody(
  { rates }: EdgeServeParts,
  routed: Routed,
  identity: string,
  bytes: number,
): void {
  if (kindOf(routed) === 'answers' && routed.route.weight !== undefined) {
    rates.takeAway(answersOf(identity), requestsOf(routed, bytes) - 1)
  }
}

/** A bulk counts as many requests: by its size, or, where that is not known, as the largest one. */
function requestsOf({ route }: Routed, bytes: number): number {
  if (route.weight === undefined) return 1
  if (route.weight === 'LARGEST_BULK') return largestBulk_requests
  return Math.max(Math.ceil(bytes / bulkRequest_bytes), 1)
}

function kindOf({ route }: Routed): BacklogKind {
  return isAnswer(route.priority) ? 'answers' : 'requests'
}

function bytesMaxOf({ route }: Routed): number {
  return route.body_bytes_max ?? body_bytes_max
}

function refusedAt({ resource }: Routed, refusal: Refusal): EdgeResponse {
  return refused(refusal, responseContentType(resource))
}

/** The request target without a fragment, which is not part of it (RFC 9110, 4.2.5). */
function targetOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('#')
  return end < 0 ? url : url.slice(0, end)
}

/** The path without the query. */
function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** The response to a path that does not exist. */
export function sendUnknownPath(
  parts: EdgeServeParts,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  send(parts, request, response, refused(refuse('PATH_UNKNOWN'), 'application/json'))
}

/** Undefined: the refusal indicates no attack. */
function securityTypeOf({ status, code }: Refusal): SecurityEvent['type'] | undefined {
  if (code === '3105') return 'SIGNATURE_REFUSED'
  return status === 401 || status === 403 ? 'IDENTITY_REFUSED' : undefined
}

/** The text of a refused signature may quote paths, and so parties. */
function noteRefusal(
  { securityEvents }: EdgeServeParts,
  request: IncomingMessage,
  refusal: Refusal,
) {
  const type = securityTypeOf(refusal)
  if (type === undefined) return
  const source = request.headers['fspiop-source']
  const [, resource = ''] = /^(\/[^/?]{0,64})/.exec(targetOf(request)) ?? []
  securityEvents.tell({
    type,
    reason: type === 'SIGNATURE_REFUSED' ? refusal.code : refusal.detail,
    actor: typeof source === 'string' ? source : '',
    address: request.socket.remoteAddress ?? '',
    target: `${request.method ?? ''} ${resource}`,
  })
}

function send(
  parts: EdgeServeParts,
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, allow, refusal }: EdgeResponse,
): void {
  const { challenge, measures, log } = parts
  measures.answered(request.method ?? '', status, refusal?.code ?? '')
  if (refusal === undefined) {
    response.writeHead(status, { 'content-type': contentType, 'content-length': '0' })
    response.end()
    return
  }
  noteRefusal(parts, request, refusal)
  log.debug({ status, code: refusal.code, detail: refusal.detail }, 'refused')
  const body = refusalBody(refusal)
  response.writeHead(status, {
    'content-type': refusalType(contentType, parts.edge.compatibility),
    'content-length': String(Buffer.byteLength(body)),
    ...(allow === undefined ? {} : { allow: allow.join(', ') }),
    ...(status === 401 ? { 'www-authenticate': challenge(request) } : {}),
    ...retryAfter(status),
  })
  response.end(body)
}

export function refusalBody({ code, detail, extensionList }: Refusal): string {
  return JSON.stringify({ errorInformation: errorInformation(code, detail, extensionList) })
}
