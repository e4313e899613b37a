/** Identifiers of traces. W3C Trace Context 3.2. */

const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The trace of what is known by that id alone: a UUID without its hyphens, so that the trace of a transfer
 * is found by its id. Undefined where the id is no UUID.
 */
export function traceIdOf(id: string): string | undefined {
  return uuidPattern.test(id) ? id.replaceAll('-', '') : undefined
}

export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
}

/** Undefined where it is malformed. */
export function readTraceparent(text: string): TraceParent | undefined {
  const [, traceId, spanId] = traceparentPattern.exec(text) ?? []
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId }
}

/** Of a span that is recorded. */
export function traceparentOf({ traceId, spanId }: TraceParent): string {
  return `00-${traceId}-${spanId}-01`
}
