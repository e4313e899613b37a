/**
 * Each attempt is a span in the trace of its event, and the span is sent to the FSP, so that its
 * next message can be in the same trace. The trace of a relayed message stays unchanged when the
 * signature covers it.
 */
import { signsTrace } from '@causeway/fspiop'
import type { Tracer } from '@causeway/tracing'
import type { Notification } from '../contract.ts'
import type { Attempt } from '../domain/verdict.ts'

/** All attempts are in this trace, also those of a later process. */
export function continuing(
  notification: Notification,
  traceparent: string | undefined,
): Notification {
  if (traceparent === undefined || signsTrace(notification.request.headers)) return notification
  return withTrace(notification, traceparent)
}

export async function recordedAttempt(
  tracer: Tracer,
  notification: Notification,
  attempt: (notification: Notification) => Promise<Attempt>,
): Promise<Attempt> {
  const { headers, transport, destinationFspId } = notification.request
  const parent = headers['traceparent']
  if (parent === undefined || transport.type !== 'HTTP') return attempt(notification)
  const { method, url } = transport
  const attributes = {
    'http.request.method': method,
    'server.address': URL.canParse(url) ? new URL(url).hostname : '',
    'fspiop.destination': destinationFspId,
  }
  const span = tracer.begin(`deliver ${method}`, { kind: 'CLIENT', parent, attributes })
  if (span === undefined) return attempt(notification)
  const sent = signsTrace(headers) ? notification : withTrace(notification, span.traceparent)
  const outcome = await attempt(sent)
  span.end(
    outcome.type === 'ANSWERED'
      ? {
          attributes: { 'http.response.status_code': outcome.status },
          ...(outcome.status < 400 ? {} : { error: `HTTP ${outcome.status}` }),
        }
      : { error: outcome.reason },
  )
  return outcome
}

function withTrace(notification: Notification, traceparent: string): Notification {
  const { request } = notification
  return {
    ...notification,
    request: { ...request, headers: { ...request.headers, traceparent } },
  }
}
