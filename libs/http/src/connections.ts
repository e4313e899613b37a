/**
 * The bounds on a server's connections: no client has more than its share. When there are too many, idle
 * ones are closed, first those of unidentified clients, then those of the client with the most.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { clientAt, peerAt } from './peer.ts'

export interface ConnectionBounds {
  /**
   * Connections at the same time. Beyond it an idle one is closed for a new one; if none is idle, the new
   * one is closed.
   */
  readonly total_max: number
  /** Connections of one client at the same time, by the common name of its certificate. */
  readonly per_client_max: number
  /** Clients that connect on behalf of many others: only the bound on all connections applies to them. */
  readonly gateways: ReadonlySet<string>
}

export interface Connections {
  readonly open: ReadonlySet<Socket>
  /** With TLS: sockets during their handshake, by address. They have sent no request. */
  readonly handshaking: ReadonlyMap<string, Socket>
}

export interface TrackingOptions {
  readonly isTls: boolean
  readonly bounds: ConnectionBounds | undefined
  /** Responds to a client's connection beyond its bound, and closes it. */
  readonly turnAway: (socket: Socket) => void
}

export function trackConnections(
  server: Server,
  { isTls, bounds, turnAway }: TrackingOptions,
): Connections {
  const open = new Set<Socket>()
  const handshaking = new Map<string, Socket>()
  const countOf = new Map<string, number>()

  function makeRoom(newest: Socket): void {
    if (bounds === undefined || open.size + handshaking.size < bounds.total_max) return
    const [oldest] = handshaking.values()
    const leaving = oldest ?? leastMissed(open, bounds.gateways)
    if (leaving === undefined) newest.destroy()
    else leaving.destroy()
  }

  /** Whether the client has reached its bound. */
  function countPeer(socket: Socket): boolean {
    const name = isTls ? peerAt(socket) : undefined
    if (bounds === undefined || name === undefined || bounds.gateways.has(name)) return true
    const count = (countOf.get(name) ?? 0) + 1
    countOf.set(name, count)
    socket.once('close', () => {
      const left = (countOf.get(name) ?? 1) - 1
      if (left > 0) countOf.set(name, left)
      else countOf.delete(name)
    })
    return count <= bounds.per_client_max
  }

  server.on('connection', (socket: Socket) => {
    makeRoom(socket)
    if (!isTls || socket.destroyed) return
    const address = addressOf(socket)
    handshaking.set(address, socket)
    socket.once('close', () => {
      if (handshaking.get(address) === socket) handshaking.delete(address)
    })
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    handshaking.delete(addressOf(socket))
    if (socket.destroyed) return
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (!countPeer(socket)) turnAway(socket)
  })
  return { open, handshaking }
}

/**
 * The oldest connection without a request in progress: of an unidentified client, or else of the client
 * with the most connections, gateways last.
 */
function leastMissed(open: ReadonlySet<Socket>, gateways: ReadonlySet<string>): Socket | undefined {
  const countOf = new Map<string, number>()
  for (const socket of open) {
    const client = clientAt(socket)
    if (client === undefined || gateways.has(client)) continue
    countOf.set(client, (countOf.get(client) ?? 0) + 1)
  }
  let found: { readonly socket: Socket; readonly count: number } | undefined
  for (const socket of open) {
    if (answerOf(socket) !== undefined || socket.destroyed) continue
    const client = clientAt(socket)
    if (client === undefined) return socket
    const count = countOf.get(client) ?? 0
    if (found === undefined || count > found.count) found = { socket, count }
  }
  return found?.socket
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

/** The response that is due on the connection, started or not. */
export function answerOf(socket: Duplex): ServerResponse | undefined {
  const { _httpMessage: answer } = socket as { readonly _httpMessage?: ServerResponse | null }
  return answer ?? undefined
}
