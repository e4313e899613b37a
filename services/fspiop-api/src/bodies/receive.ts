/** The received bytes of a body, or the reason why there are none. */
import type { IncomingMessage } from 'node:http'

/** FSPIOP 3.1: the largest body in bytes. */
export const body_bytes_max = 5_242_880

/**
 * The largest answers, in bytes: any legal one, however its characters are escaped. A quote contains an
 * ILP packet of up to 32 KiB.
 */
export const answer_bytes_max = 65_536
export const quoteAnswer_bytes_max = 262_144

export type Body =
  /** With the time of its last byte, in ms since 1970. */
  | { readonly type: 'WHOLE'; readonly bytes: Buffer; readonly received_ms: number }
  | { readonly type: 'TOO_LARGE' }
  /** The connection ended before the body did, so no response can be sent. */
  | { readonly type: 'CUT' }

const empty = Buffer.alloc(0)

/** The expected size of the body before it is received, at most `bytes_max`. */
export function announcedBytes({ headers }: IncomingMessage, bytes_max: number): number {
  if (headers['transfer-encoding'] !== undefined) return bytes_max
  return Math.min(Number(headers['content-length'] ?? 0), bytes_max)
}

/**
 * Resolves at the last byte. A body that is too large is read to its end and discarded, because a
 * client that is still sending does not read the response.
 */
export function receiveBody(request: IncomingMessage, bytes_max: number): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytes_max) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => {
      if (bytes > bytes_max) resolve({ type: 'TOO_LARGE' })
      else resolve({ type: 'WHOLE', bytes: joined(chunks), received_ms: Date.now() })
    })
    request.on('error', () => resolve({ type: 'CUT' }))
    request.on('close', () => resolve({ type: 'CUT' }))
  })
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  if (first === undefined) return empty
  return chunks.length === 1 ? first : Buffer.concat(chunks)
}
