/**
 * A message of an FSP is a span in the trace that its headers name, from the last byte of the
 * request until its events are stored. Without such a header it is in the trace of the id of its
 * subject, so POST and PUT of a transfer are in one trace even when no FSP sends trace headers.
 */
import { readTrace, type Headers, type Operation } from '@causeway/fspiop'
import type { OutgoingMessage } from '@causeway/bus'
import { traceIdOf, type Tracer } from '@causeway/tracing'

interface TracedRequest {
  readonly operation: Operation
  readonly source: string
  readonly headers: Headers
  /** ISO 8601 */
  readonly receivedAt: string
}

/** Publishes the messages with the trace of the request that they follow from. */
export type RecordRequest = (
  request: TracedRequest,
  messages: readonly OutgoingMessage[],
  publish: (messages: readonly OutgoingMessage[]) => Promise<void>,
) => Promise<void>

export function recordRequests(tracer: Tracer): RecordRequest {
  return async ({ operation, source, headers, receivedAt }, messages, publish) => {
    const [method = '', route = ''] = operation.split(' ')
    const span = tracer.begin(operation, {
      kind: 'SERVER',
      parent: readTrace(headers)?.traceparent,
      traceId: traceIdOf(messages[0]?.key ?? ''),
      attributes: { 'http.request.method': method, 'http.route': route, 'fspiop.source': source },
      start_ms: Date.parse(receivedAt),
    })
    if (span === undefined) return publish(messages)
    const { traceparent } = span
    try {
      await publish(
        messages.map((each) => ({ ...each, headers: { ...each.headers, traceparent } })),
      )
      span.end()
    } catch (error) {
      span.end({ error: error instanceof Error ? error : 'it failed' })
      throw error
    }
  }
}
