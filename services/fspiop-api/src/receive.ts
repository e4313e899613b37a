/** The bytes of a body, as they came, or why there are none. */
import type { IncomingMessage } from 'node:http'

/** FSPIOP 3.1: the largest body in bytes. */
export const body_bytes_max = 5_242_880

/**
 * The largest answers, in bytes: what can be legal of them, however its characters are escaped. A quote
 * carries an ILP packet of up to 32 KiB.
 */
export const answer_bytes_max = 65_536
export const quoteAnswer_bytes_max = 262_144

export type Body =
  | { readonly type: 'WHOLE'; readonly bytes: Buffer }
  | { readonly type: 'TOO_LARGE' }
  /** The connection ended before the body did: there is nobody to answer. */
  | { readonly type: 'CUT' }

const empty = Buffer.alloc(0)

/** The bytes to reckon with before the body has come, at most those that it may have. */
export function announcedBytes({ headers }: IncomingMessage, bytes_max: number): number {
  if (headers['transfer-encoding'] !== undefined) return bytes_max
  return Math.min(Number(headers['content-length'] ?? 0), bytes_max)
}

/**
 * Resolves when the last byte has come. What is too large is read to its end and thrown away, because
 * a client that is still sending does not read its answer.
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
      else resolve({ type: 'WHOLE', bytes: joined(chunks) })
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
