/**
 * From an HTTP request to its answer. Requests on the API's own paths go straight to their route;
 * Express serves the pages beside them.
 */
import { errorInformation, responseContentType, type Refusal } from '@causeway/fspiop'
import type { Logger } from '@causeway/runtime'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Admission } from './admission.ts'
import { refused, routeOf, workOn, type Answer, type Edge, type Routed } from './chain.ts'
import type { Measures } from './measures.ts'
import { announcedBytes, receiveBody } from './receive.ts'
import { refuse } from './refusals.ts'

export interface ServeParts {
  readonly edge: Edge
  readonly admission: Admission
  readonly measures: Measures
  readonly log: Logger
}

/** Answers the request; false when its path is not of the API and nothing was done. */
export function serveApi(
  parts: ServeParts,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { method = '', url = '' } = request
  const parsed = routeOf(parts.edge.served, method, pathOf(url))
  if ('routed' in parsed) {
    void serveRouted(parts, parsed.routed, request, response)
    return true
  }
  if (parsed.answer.status === 404) return false
  send(parts, request, response, parsed.answer)
  return true
}

async function serveRouted(
  parts: ServeParts,
  routed: Routed,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { admission, log } = parts
  const source = String(request.headers['fspiop-source'] ?? '')
  const bytes = announcedBytes(request)
  if (!admission.enter(source, bytes, routed.route.share)) {
    send(parts, request, response, refusedAt(routed, refuse('BUSY')))
    return
  }
  try {
    const answer = await answerTo(parts, routed, request)
    if (answer !== undefined) send(parts, request, response, answer)
  } catch (error) {
    log.error({ err: error, operation: routed.match.operation }, 'a request met a fault')
    send(parts, request, response, refusedAt(routed, refuse('FAULT')))
  } finally {
    admission.leave(source, bytes)
  }
}

/** Undefined when the message was cut: nothing of it counts, and nobody waits. */
async function answerTo(
  { edge, measures }: ServeParts,
  routed: Routed,
  request: IncomingMessage,
): Promise<Answer | undefined> {
  const body = await receiveBody(request)
  switch (body.type) {
    case 'CUT':
      measures.cut()
      return undefined
    case 'TOO_LARGE':
      return refusedAt(routed, refuse('BODY_TOO_LARGE'))
    case 'WHOLE': {
      const receivedAt = new Date().toISOString()
      return workOn(edge, routed, request.headers, body.bytes, receivedAt)
    }
  }
}

function refusedAt({ resource }: Routed, refusal: Refusal): Answer {
  return refused(refusal, responseContentType(resource))
}

/** The path without the query; no route of the served resources reads one. */
function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** The answer to a path that nobody serves. */
export function sendUnknownPath(
  parts: ServeParts,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  send(parts, request, response, refused(refuse('PATH_UNKNOWN'), 'application/json'))
}

function send(
  { measures, log }: ServeParts,
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, allow, refusal }: Answer,
): void {
  measures.answered(request.method ?? '', status, refusal?.code ?? '')
  if (refusal === undefined) {
    response.writeHead(status, { 'content-type': contentType, 'content-length': '0' })
    response.end()
    return
  }
  log.debug({ status, code: refusal.code, detail: refusal.detail }, 'refused')
  const body = refusalBody(refusal)
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
    ...(allow === undefined ? {} : { allow: allow.join(', ') }),
  })
  response.end(body)
}

export function refusalBody({ code, detail, extensionList }: Refusal): string {
  return JSON.stringify({ errorInformation: errorInformation(code, detail, extensionList) })
}
