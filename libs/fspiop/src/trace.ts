/** The trace of a message (W3C Trace Context): an invalid one is ignored, never refused. */
import type { Headers } from './headers.ts'

const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const tracestate_max = 512
const members_max = 32
const memberPattern = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/

export interface Trace {
  readonly traceparent: string
  /** At most 512 characters. */
  readonly tracestate?: string
}

/** The valid trace headers; no tracestate without a traceparent. FSPIOP 3.2. */
export function readTrace(headers: Headers): Trace | undefined {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || !traceparentPattern.test(traceparent)) return undefined
  return typeof tracestate === 'string' && isTracestate(tracestate)
    ? { traceparent, tracestate }
    : { traceparent }
}

/** Whether the signature of a message covers its trace, which then must not change. FSPIOP signature 4. */
export function signsTrace(headers: Headers): boolean {
  const { 'fspiop-signature': signature } = headers
  if (typeof signature !== 'string') return false
  try {
    const { protectedHeader } = JSON.parse(signature) as { readonly protectedHeader: string }
    const covered = JSON.parse(Buffer.from(protectedHeader, 'base64url').toString()) as object
    return Object.keys(covered).some((name) => /^trace(?:parent|state)$/i.test(name))
  } catch {
    // Nobody can verify it.
    return false
  }
}

function isTracestate(text: string): boolean {
  if (text.length > tracestate_max) return false
  const members = text.split(',').map((member) => member.trim())
  return members.length <= members_max && members.every((member) => memberPattern.test(member))
}
