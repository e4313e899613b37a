/**
 * The identity of a client, from its channel only: the common name of its certificate here, the subject
 * of its token in `token-identity.ts`. FSPIOP-Source is accepted only when it equals that.
 */
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { peerCertificateOf } from '@causeway/http'
import { LRUCache } from 'lru-cache'
import type { Reason } from '../refusals.ts'

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

/** What a response with 401 asks the client for (RFC 9110, 15.5.2). */
export type Challenge = (request: IncomingMessage) => string

const bearer = 'Bearer realm="fsp-api"'

/** By EDGE_IDENTITY. No scheme is registered for client certificates. */
export const challenges = {
  mtls: () => 'ClientCertificate realm="fsp-api"',
  // RFC 6750, 3.1: a client that presents no token gets no error code.
  token: ({ headers: { authorization = '' } }) =>
    /^Bearer /i.test(authorization) ? `${bearer}, error="invalid_token"` : bearer,
  // It refuses no client.
  header: () => bearer,
} as const satisfies Readonly<Record<'mtls' | 'token' | 'header', Challenge>>

export const missing: Identity = { type: 'REFUSED', reason: 'IDENTITY_MISSING' }

/** Trusts FSPIOP-Source of any client, and expects a client to use connections of its own. */
export const byHeader: Identify = ({ headers }) => ({
  type: 'KNOWN',
  fspId: String(headers['fspiop-source'] ?? ''),
  ownsConnection: true,
})

/** A client certificate that the scheme's CA has issued. */
export interface ClientCertificate {
  readonly name: string
  /** SHA-256; undefined: a gateway forwards only the subject. */
  readonly fingerprint: string | undefined
  /** Undefined: a gateway forwards only the subject. */
  readonly validTo_ms: number | undefined
  /** Hexadecimal, upper case, with the subject of the CA; undefined: a gateway forwards only the subject. */
  readonly serial: string | undefined
  readonly issuer: string | undefined
}

/**
 * Why a certificate does not identify its FSP now. Synchronous when no other service must be queried;
 * never rejects.
 */
export type JudgeCertificate = (
  certificate: ClientCertificate,
) => Reason | undefined | Promise<Reason | undefined>

export interface CertificateParts {
  /** Those that may forward the certificate of their client. */
  readonly gateways: ReadonlySet<string>
  /** Fingerprints of their certificates; empty: any certificate with their name. */
  readonly gatewayFingerprints: ReadonlySet<string>
  /** The CAs that issue certificates of FSPs; another list after each change. */
  readonly authorities: () => readonly X509Certificate[]
  readonly judge: JudgeCertificate
}

/** Cache size: a gateway forwards the same certificate with every request. */
const forwarded_max = 1_000

interface Forwarded {
  readonly certificate: ClientCertificate | undefined
  /** The CAs that it was compared with. */
  readonly authorities: readonly X509Certificate[]
}

/**
 * By the client's certificate. A gateway that terminates TLS may forward its client's certificate in
 * X-Forwarded-Client-Cert, if it is itself one of `gateways`.
 */
export function byCertificate({
  gateways,
  gatewayFingerprints: pinned,
  authorities,
  judge,
}: CertificateParts): Identify {
  const forwarded = new LRUCache<string, Forwarded>({ max: forwarded_max })

  function forwardedIn(request: IncomingMessage): ClientCertificate | undefined {
    const header = request.headers['x-forwarded-client-cert']
    if (typeof header !== 'string') return undefined
    const current = authorities()
    const known = forwarded.get(header)
    if (known?.authorities === current) return known.certificate
    const certificate = forwardedCertificate(header, current)
    forwarded.set(header, { certificate, authorities: current })
    return certificate
  }

  return (request) => {
    const peer = peerCertificateOf(request)
    if (peer === undefined) return missing
    const isGateway = gateways.has(peer.name)
    if (isGateway && pinned.size > 0 && !pinned.has(peer.fingerprint)) return missing
    const ownsConnection = !isGateway
    const certificate = ownsConnection ? peer : forwardedIn(request)
    if (certificate === undefined) return missing
    const known = { type: 'KNOWN', fspId: certificate.name, ownsConnection } as const
    const judged = judge(certificate)
    if (judged === undefined) return known
    if (!(judged instanceof Promise)) return { type: 'REFUSED', reason: judged }
    return judged.then((reason) => (reason === undefined ? known : { type: 'REFUSED', reason }))
  }
}

/**
 * In the format of Envoy and others: `…;Cert="…"` with the certificate in PEM, percent-encoded, which one
 * of the authorities must have issued; or `Hash=…;Subject="CN=greenbank,O=…"`, in which the gateway is
 * believed. Undefined when the header is ambiguous.
 */
export function forwardedCertificate(
  header: string,
  authorities: readonly X509Certificate[],
): ClientCertificate | undefined {
  if (hasSeveralCertificates(header)) return undefined
  const certificate = /(?:^|;)Cert="([^"]+)"/i.exec(header)?.[1]
  if (certificate !== undefined) return certificateOfPem(certificate, authorities)
  const subject = /(?:^|;)Subject="([^"]*)"/i.exec(header)?.[1]
  const name = subject === undefined ? undefined : nameOf(subject.split(','))
  if (name === undefined) return undefined
  const fingerprint = /(?:^|;)Hash="?([0-9a-f]{64})"?(?:;|$)/i.exec(header)?.[1]?.toLowerCase()
  return { name, fingerprint, validTo_ms: undefined, serial: undefined, issuer: undefined }
}

/** A comma outside quotes separates the certificates of several hops, so the client's is ambiguous. */
function hasSeveralCertificates(header: string): boolean {
  return header.includes('\\') || header.replaceAll(/"[^"]*"/g, '').includes(',')
}

function certificateOfPem(
  encoded: string,
  authorities: readonly X509Certificate[],
): ClientCertificate | undefined {
  try {
    const x509 = new X509Certificate(decodeURIComponent(encoded))
    const isIssued = authorities.some(
      (authority) => x509.checkIssued(authority) && x509.verify(authority.publicKey),
    )
    const name = nameOf(x509.subject.split('\n'))
    if (!isIssued || name === undefined || Date.parse(x509.validFrom) > Date.now()) return undefined
    const fingerprint = x509.fingerprint256.replaceAll(':', '').toLowerCase()
    const { serialNumber: serial, issuer } = x509
    return { name, fingerprint, validTo_ms: Date.parse(x509.validTo), serial, issuer }
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
