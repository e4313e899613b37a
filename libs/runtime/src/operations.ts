/**
 * The operations server of a process: health, metrics and dead letters, on loopback by default.
 * Responses are JSON, except for the metrics.
 *
 * GET /health/live, GET /health/ready: 200 or 503 with every check by name. GET /metrics: the
 * Prometheus text format. GET /dead-letters?limit=100: the newest first. POST /dead-letters/replay
 * with {"group", "id"}: delivers one to its group again; 404 if there is none. POST
 * /dead-letters/discard with {"group", "id"}: removes one; 404 if there is none, 409 where the
 * group is not in this process.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EventBus } from '@causeway/bus'
import { serveHttp, type HttpServer } from '@causeway/http'
import type { HealthChecks, HealthReport, Logger, Metrics } from '@causeway/process'
import { z } from 'zod'

export interface OperationsOptions {
  readonly host: string
  /** METRICS_PORT; 0 takes any free one. */
  readonly port: number
  readonly health: HealthChecks
  readonly metrics: Metrics
  readonly bus: EventBus
  readonly log: Logger
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

const body_bytes_max = 4_096
const deadLetters_max = 1_000
const limitParameter = z.coerce.number().int().min(1).max(deadLetters_max).default(100)
const deadLetterRequest = z.strictObject({ group: z.string(), id: z.string() })

export function serveOperations(options: OperationsOptions): Promise<HttpServer> {
  const { host, port, log } = options
  return serveHttp({
    name: 'operations server',
    host,
    port,
    log,
    handler: (request, response) => void respond(options, request, response),
  })
}

async function respond(
  options: OperationsOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let answer: Answer
  try {
    answer = await answerTo(options, request)
  } catch (error) {
    options.log.error({ err: error, url: request.url }, 'an operations request failed')
    answer = fault(500, error instanceof Error ? error.message : String(error))
  }
  response.writeHead(answer.status, { 'content-type': answer.contentType }).end(answer.body)
}

async function answerTo(options: OperationsOptions, request: IncomingMessage): Promise<Answer> {
  const { health, metrics, bus } = options
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  switch (`${request.method ?? ''} ${pathname}`) {
    case 'GET /health/live':
      return healthAnswer(health.liveness())
    case 'GET /health/ready':
      return healthAnswer(await health.readiness())
    case 'GET /metrics':
      return { status: 200, contentType: metrics.contentType, body: await metrics.metrics() }
    case 'GET /dead-letters': {
      const limit = limitParameter.safeParse(searchParams.get('limit') ?? undefined)
      if (!limit.success) return fault(400, `limit is a number from 1 to ${deadLetters_max}`)
      return json(200, { deadLetters: await bus.deadLetters(limit.data) })
    }
    case 'POST /dead-letters/replay':
      return replay(bus, await bodyOf(request))
    case 'POST /dead-letters/discard':
      return discard(bus, await bodyOf(request))
    default:
      return fault(404, `there is no ${request.method ?? ''} ${pathname}`)
  }
}

async function replay(bus: EventBus, body: string | undefined): Promise<Answer> {
  const request = deadLetterRequest.safeParse(parsed(body))
  if (!request.success) return fault(400, 'the body is {"group": "...", "id": "..."}')
  const { group, id } = request.data
  return (await bus.replay(group, id))
    ? json(200, { replayed: { group, id } })
    : fault(404, `group ${group} has no dead letter ${id}`)
}

async function discard(bus: EventBus, body: string | undefined): Promise<Answer> {
  const request = deadLetterRequest.safeParse(parsed(body))
  if (!request.success) return fault(400, 'the body is {"group": "...", "id": "..."}')
  const { group, id } = request.data
  switch (await bus.discard(group, id)) {
    case 'DISCARDED':
      return json(200, { discarded: { group, id } })
    case 'UNKNOWN':
      return fault(404, `group ${group} has no dead letter ${id}`)
    case 'ELSEWHERE':
      return fault(409, `group ${group} is not in this process: ask a process of its service`)
  }
}

function healthAnswer(report: HealthReport): Answer {
  return json(report.ok ? 200 : 503, report)
}

function fault(status: number, error: string): Answer {
  return json(status, { error })
}

function json(status: number, value: unknown): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(value) }
}

/**
 * undefined when it is too long; it is still read to its end, so that the client gets the response.
 */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= body_bytes_max) chunks.push(chunk)
  }
  return bytes <= body_bytes_max ? Buffer.concat(chunks).toString() : undefined
}

/** undefined when it is not JSON. */
function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body)
  } catch {
    return undefined
  }
}
