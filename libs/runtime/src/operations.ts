/**
 * The operations server of a process: health and metrics, on loopback by default. Clients are not
 * authenticated, so it answers states and counts, and nothing of the content of events. Responses are JSON, except
 * for the metrics.
 *
 * GET /health/live, GET /health/ready: 200 or 503 with every check by name. GET /metrics: the
 * Prometheus text format.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { retryAfter, serveHttp, type HttpServer } from '@causeway/http'
import type { HealthChecks, HealthReport, Logger, Metrics } from '@causeway/process'

export interface OperationsOptions {
  readonly host: string
  /** METRICS_PORT; 0 takes any free one. */
  readonly port: number
  readonly health: HealthChecks
  readonly metrics: Metrics
  readonly log: Logger
}

interface OperationsResponse {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

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
  let answer: OperationsResponse
  try {
    answer = await answerTo(options, request)
  } catch (error) {
    options.log.error({ err: error, url: request.url }, 'an operations request failed')
    answer = fault(500, error instanceof Error ? error.message : String(error))
  }
  const { status, contentType, body } = answer
  response.writeHead(status, { 'content-type': contentType, ...retryAfter(status) }).end(body)
}

async function answerTo(
  options: OperationsOptions,
  request: IncomingMessage,
): Promise<OperationsResponse> {
  const { health, metrics } = options
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  switch (`${request.method ?? ''} ${pathname}`) {
    case 'GET /health/live':
      return healthAnswer(health.liveness())
    case 'GET /health/ready':
      return healthAnswer(await health.readiness())
    case 'GET /metrics':
      return { status: 200, contentType: metrics.contentType, body: await metrics.metrics() }
    default:
      return fault(404, `there is no ${request.method ?? ''} ${pathname}`)
  }
}

function healthAnswer(report: HealthReport): OperationsResponse {
  return json(report.ok ? 200 : 503, report)
}

function fault(status: number, error: string): OperationsResponse {
  return json(status, { error })
}

function json(status: number, value: unknown): OperationsResponse {
  return { status, contentType: 'application/json', body: JSON.stringify(value) }
}
