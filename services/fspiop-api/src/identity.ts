/**
 * Who a client is, from its channel alone: the common name of its certificate here, the subject of its
 * token in `token-identity.ts`. What it says of itself in headers counts only once it agrees with that.
 */
import { peerOf } from '@causeway/runtime'
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { latest } from './latest.ts'
import type { Reason } from './refusals.ts'

export type Identity =
  | { readonly type: 'KNOWN'; readonly fspId: string }
  | { readonly type: 'REFUSED'; readonly reason: Reason }

/** Answers at once wherever nothing has to be asked for. */
export type Identify = (request: IncomingMessage) => Identity | Promise<Identity>

export const missing: Identity = { type: 'REFUSED', reason: 'IDENTITY_MISSING' }

/** Whoever reaches the port is who FSPIOP-Source says. */
export const byHeader: Identify = ({ headers }) => ({
  type: 'KNOWN',
  fspId: String(headers['fspiop-source'] ?? ''),
})

/** A gateway tells the same certificate with every request. */
const forwarded_max = 1_000

/**
 * By the client's certificate. A gateway that ends TLS may tell what certificate it saw, in
 * X-Forwarded-Client-Cert, if it is itself one of `gateways`.
 */
export function byCertificate(gateways: ReadonlySet<string>): Identify {
  const forwarded = latest<Identity>(forwarded_max)
  return (request) => {
    const peer = peerOf(request)
    if (peer === undefined) return missing
    if (!gateways.has(peer)) return { type: 'KNOWN', fspId: peer }
    const header = request.headers['x-forwarded-client-cert']
    if (typeof header !== 'string') return missing
    const known = forwarded.get(header)
    if (known !== undefined) return known
    const fspId = forwardedName(header)
    const identity = fspId === undefined ? missing : ({ type: 'KNOWN', fspId } as const)
    forwarded.set(header, identity)
    return identity
  }
}

/**
 * The common name in the form that Envoy and others write: `…;Subject="CN=greenbank,O=…";…`, or
 * `Cert="…"` with the certificate in PEM, percent-encoded. Undefined for all that could be read in two
 * ways.
 */
export function forwardedName(header: string): string | undefined {
  if (hasSeveralCertificates(header)) return undefined
  const certificate = /(?:^|;)Cert="([^"]+)"/i.exec(header)?.[1]
  if (certificate !== undefined) return nameOfPem(certificate)
  const subject = /(?:^|;)Subject="([^"]*)"/i.exec(header)?.[1]
  return subject === undefined ? undefined : nameOf(subject.split(','))
}

/** A comma outside of quotes parts the certificates of several hops: which one is the client's? */
function hasSeveralCertificates(header: string): boolean {
  return header.includes('\\') || header.replaceAll(/"[^"]*"/g, '').includes(',')
}

function nameOfPem(encoded: string): string | undefined {
  try {
    return nameOf(new X509Certificate(decodeURIComponent(encoded)).subject.split('\n'))
  } catch {
    return undefined
  }
}

/** Two common names say nothing. */
function nameOf(parts: readonly string[]): string | undefined {
  const names = parts.map((part) => part.trim()).filter((part) => part.startsWith('CN='))
  const [name] = names
  return names.length === 1 && name !== undefined && name !== 'CN=' ? name.slice(3) : undefined
}
