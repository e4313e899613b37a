/** Identifiers of traces. W3C Trace Context 3.2. */

const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Of 128 bits: the first of its characters has three, each other one five. */
const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const ulidDigits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * The trace of what is known by that id alone, so that the trace of a transfer is found by its id: the 128
 * bits of a UUID or a ULID in hexadecimal, which for a UUID is its text without hyphens. Undefined where
 * the id is neither.
 */
export function traceIdOf(id: string): string | undefined {
  if (uuidPattern.test(id)) return id.replaceAll('-', '')
  return ulidPattern.test(id) ? hexOfUlid(id) : undefined
}

function hexOfUlid(ulid: string): string {
  let bits = 0n
  for (const digit of ulid) bits = bits * 32n + BigInt(ulidDigits.indexOf(digit))
  return bits.toString(16).padStart(32, '0')
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
