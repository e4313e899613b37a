/**
 * The client at the other end of a connection, by its certificate that the server's CA has signed.
 */
import { createHash, X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'

/** The certificate of a client that the server's CA has signed. */
export interface Peer {
  /** The common name. */
  readonly name: string
  /** SHA-256 of the certificate, hexadecimal, lower case. */
  readonly fingerprint: string
  /** Hexadecimal, upper case. */
  readonly serial: string
  /** The subject of its CA, as X509Certificate has it. */
  readonly issuer: string
  readonly validTo_ms: number
}

/** By connection, since reading a certificate costs more than a small request. */
const peers = new WeakMap<Socket, { readonly peer: Peer | undefined }>()

/** The common name of the client's certificate, if the server's CA has signed it. */
export function peerOf({ socket }: IncomingMessage): string | undefined {
  return peerAt(socket)
}

/** The same with what identifies the certificate. */
export function peerCertificateOf({ socket }: IncomingMessage): Peer | undefined {
  return certificateAt(socket)
}

const clients = new WeakMap<Socket, string>()

/** Records the client of a connection that was authenticated by other means than a certificate. */
export function noteClient({ socket }: IncomingMessage, client: string): void {
  if (!clients.has(socket)) clients.set(socket, client)
}

/** The client of a connection: by its certificate, or as its first request was authenticated. */
export function clientAt(socket: Socket): string | undefined {
  return peerAt(socket) ?? clients.get(socket)
}

export function peerAt(socket: Socket): string | undefined {
  return certificateAt(socket)?.name
}

function certificateAt(socket: Socket): Peer | undefined {
  const known = peers.get(socket)
  if (known !== undefined) return known.peer
  const peer = isVouchedFor(socket) ? peerIn(socket) : undefined
  peers.set(socket, { peer })
  return peer
}

/** By connection; undefined: it has no client certificate. */
const thumbprints = new WeakMap<Socket, { readonly thumbprint: string | undefined }>()

/**
 * SHA-256 in base64url (RFC 8705 3.1) of the certificate whose key the client has proved to hold in the
 * handshake, of any CA.
 */
export function presentedThumbprint({ socket }: IncomingMessage): string | undefined {
  const known = thumbprints.get(socket)
  if (known !== undefined) return known.thumbprint
  const { encrypted } = socket as Partial<TLSSocket>
  const certificate: Partial<PeerCertificate> =
    encrypted === true ? (socket as TLSSocket).getPeerCertificate() : {}
  const thumbprint =
    certificate.raw === undefined
      ? undefined
      : createHash('sha256').update(certificate.raw).digest('base64url')
  thumbprints.set(socket, { thumbprint })
  return thumbprint
}

function isVouchedFor(socket: Socket): socket is TLSSocket {
  const { encrypted, authorized } = socket as Partial<TLSSocket>
  return encrypted === true && authorized === true
}

function peerIn(socket: TLSSocket): Peer | undefined {
  const certificate = socket.getPeerCertificate() as Partial<PeerCertificate>
  const name: unknown = certificate.subject?.CN
  if (typeof name !== 'string' || name === '' || certificate.raw === undefined) return undefined
  const {
    fingerprint256,
    serialNumber: serial,
    issuer,
    validTo,
  } = new X509Certificate(certificate.raw)
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase()
  return { name, fingerprint, serial, issuer, validTo_ms: Date.parse(validTo) }
}
