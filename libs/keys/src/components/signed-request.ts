/**
 * Requests that a component signs: a JWS (RFC 7515, compact, ES256) whose payload is method, path, time
 * and nonce, one in each line. The `kid` in its header is the id of the key.
 */
import { randomBytes } from 'node:crypto'
import type { ComponentKey } from './component-key.ts'

/** As the headers X-Timestamp and X-Nonce carry them. */
export interface RequestToSign {
  readonly method: string
  /** Without host and query: `/config/secrets/quoting/values`. */
  readonly path: string
  /** ISO 8601, UTC. */
  readonly timestamp: string
  readonly nonce: string
}

export interface SignedHeaders {
  readonly signer: string
  readonly timestamp: string
  readonly nonce: string
  readonly signature: string
}

/** @param boundedContextId the component that signs */
export function signRequest(
  key: ComponentKey,
  boundedContextId: string,
  { method, path }: Pick<RequestToSign, 'method' | 'path'>,
  now: Date,
): SignedHeaders {
  const timestamp = now.toISOString()
  const nonce = randomBytes(16).toString('base64url')
  const header = encoded(JSON.stringify({ alg: 'ES256', kid: key.id }))
  const signed = `${header}.${payloadOf({ method, path, timestamp, nonce })}`
  const signature = `${signed}.${key.sign(Buffer.from(signed)).toString('base64url')}`
  return { signer: boundedContextId, timestamp, nonce, signature }
}

export interface ReadSignature {
  readonly keyId: string
  /** What was signed, and the signature over it. */
  readonly content: Buffer
  readonly signature: Buffer
}

const signature_length_max = 2_048

/** Undefined: the text is no JWS of this form over this request. Whether it is valid remains open. */
export function readSignature(text: string, request: RequestToSign): ReadSignature | undefined {
  const [header = '', payload, signature = '', ...rest] = text.split('.')
  if (text.length > signature_length_max || rest.length > 0) return undefined
  if (payload !== payloadOf(request)) return undefined
  const keyId = keyIdIn(header)
  if (keyId === undefined) return undefined
  return {
    keyId,
    content: Buffer.from(`${header}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

function keyIdIn(header: string): string | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
    if (typeof read !== 'object' || read === null) return undefined
    const { alg, kid, crit } = read as Readonly<Record<string, unknown>>
    return alg === 'ES256' && typeof kid === 'string' && crit === undefined ? kid : undefined
  } catch {
    return undefined
  }
}

function payloadOf({ method, path, timestamp, nonce }: RequestToSign): string {
  return encoded([method, path, timestamp, nonce].join('\n'))
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url')
}
