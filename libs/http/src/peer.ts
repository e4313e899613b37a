/**
 * The client at the other end of a connection, by its certificate that the server's CA has signed.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'

/** Names by connection, since reading a certificate costs more than a small request. */
const peers = new WeakMap<Socket, { readonly name: string | undefined }>()

/** The common name of the client's certificate, if the server's CA has signed it. */
export function peerOf({ socket }: IncomingMessage): string | undefined {
  return peerAt(socket)
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
  const known = peers.get(socket)
  if (known !== undefined) return known.name
  const name = isVouchedFor(socket) ? nameIn(socket) : undefined
  peers.set(socket, { name })
  return name
}

function isVouchedFor(socket: Socket): socket is TLSSocket {
  const { encrypted, authorized } = socket as Partial<TLSSocket>
  return encrypted === true && authorized === true
}

function nameIn(socket: TLSSocket): string | undefined {
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>
  const name: unknown = subject?.CN
  return typeof name === 'string' && name !== '' ? name : undefined
}
