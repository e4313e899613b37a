/**
 * The identity of a client, from its channel only: the common name of its certificate here, the subject
 * of its token in `token-identity.ts`. FSPIOP-Source is accepted only when it equals that.
 */
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { peerOf } from '@causeway/http'
import { LRUCache } from 'lru-cache'
import type { Reason } from './refusals.ts'

export type Identity =
  | {
      readonly type: 'KNOWN'
      readonly fspId: string
      /** No other FSP uses the connection; false if unknown. */
      readonly ownsConnection: boolean
    }
  | { readonly type: 'REFUSED'; readonly reason: Reason }

/** Synchronous when no other service must be queried. */
export type Identify = (request: IncomingMessage) => Identity | Promise<Identity>

export const missing: Identity = { type: 'REFUSED', reason: 'IDENTITY_MISSING' }

/** Trusts FSPIOP-Source of any client, and expects a client to use connections of its own. */
export const byHeader: Identify = ({ headers }) => ({
  type: 'KNOWN',
  fspId: String(headers['fspiop-source'] ?? ''),
  ownsConnection: true,
})

/** Cache size: a gateway forwards the same certificate with every request. */
const forwarded_max = 1_000

/**
 * By the client's certificate. A gateway that terminates TLS may forward its client's certificate in
 * X-Forwarded-Client-Cert, if it is itself one of `gateways`.
 */
export function byCertificate(gateways: ReadonlySet<string>): Identify {
  const forwarded = new LRUCache<string, Identity>({ max: forwarded_max })
  return (request) => {
    const peer = peerOf(request)
    if (peer === undefined) return missing
    if (!gateways.has(peer)) return { type: 'KNOWN', fspId: peer, ownsConnection: true }
    const header = request.headers['x-forwarded-client-cert']
    if (typeof header !== 'string') return missing
    const known = forwarded.get(header)
    if (known !== undefined) return known
    const fspId = forwardedName(header)
    const identity: Identity =
      fspId === undefined ? missing : { type: 'KNOWN', fspId, ownsConnection: false }
    forwarded.set(header, identity)
    return identity
  }
}

/**
 * The common name in the format of Envoy and others: `…;Subject="CN=greenbank,O=…";…`, or `Cert="…"` with
 * the certificate in PEM, percent-encoded. Undefined when the header is ambiguous.
 */
export function forwardedName(header: string): string | undefined {
  if (hasSeveralCertificates(header)) return undefined
  const certificate = /(?:^|;)Cert="([^"]+)"/i.exec(header)?.[1]
  if (certificate !== undefined) return nameOfPem(certificate)
  const subject = /(?:^|;)Subject="([^"]*)"/i.exec(header)?.[1]
  return subject === undefined ? undefined : nameOf(subject.split(','))
}

/** A comma outside quotes separates the certificates of several hops, so the client's is ambiguous. */
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

/** Undefined when there are two common names. */
function nameOf(parts: readonly string[]): string | undefined {
  const names = parts.map((part) => part.trim()).filter((part) => part.startsWith('CN='))
  const [name] = names
  return names.length === 1 && name !== undefined && name !== 'CN=' ? name.slice(3) : undefined
}
