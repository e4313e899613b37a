/** The bytes of a body, as they came, or why there are none. */
import type { IncomingMessage } from 'node:http'

/** FSPIOP 3.1: the largest body in bytes. */
export const body_bytes_max = 5_242_880

export type Body =
  | { readonly type: 'WHOLE'; readonly bytes: Buffer }
  | { readonly type: 'TOO_LARGE' }
  /** The connection ended before the body did: there is nobody to answer. */
  | { readonly type: 'CUT' }

const empty = Buffer.alloc(0)

/** The bytes to reckon with before the body has come. */
export function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return body_bytes_max
  return Math.min(Number(headers['content-length'] ?? 0), body_bytes_max)
}

/**
 * Resolves when the last byte has come. What is too large is read to its end and thrown away, because
 * a client that is still sending does not read its answer.
 */
export function receiveBody(request: IncomingMessage): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= body_bytes_max) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => {
      if (bytes > body_bytes_max) resolve({ type: 'TOO_LARGE' })
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
