/**
 * The operator's port for other machines: TLS with a certificate of the operators' own authority, in
 * front of an administration API that listens on this machine alone. It lets bytes through and reads
 * none.
 */
import {
  readPem,
  StartError,
  type Logger,
  type Service,
  type SettingValues,
} from '@causeway/runtime'
import { once } from 'node:events'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { operatorGatewaySettings } from './settings.ts'

const handshake_ms_max = 10_000

export interface Gateway extends Service {
  readonly port: number
}

/** Throws StartError for a file that is missing and for a port in use. */
export async function openGateway(
  values: SettingValues<typeof operatorGatewaySettings>,
  log: Logger,
): Promise<Gateway> {
  const file = (name: 'CERTIFICATE' | 'KEY' | 'CA') => {
    const setting = `OPERATOR_GATEWAY_TLS_${name}_FILE` as const
    return readPem(setting, values[setting])
  }
  const tls = {
    cert: await file('CERTIFICATE'),
    key: await file('KEY'),
    ca: await file('CA'),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    handshakeTimeout: handshake_ms_max,
  } as const
  const sockets = new Set<TLSSocket>()
  const server = createServer(tls, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    letThrough(socket, values.OPERATOR_PORT)
  })
  server.maxConnections = values.OPERATOR_GATEWAY_CONNECTIONS_MAX
  server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
    // A probe of the port goes without a word, every few seconds: it was refused nothing.
    const level = error.code === 'ECONNRESET' ? 'debug' : 'info'
    log[level]({ why: error.message }, 'a stranger was refused')
  })
  await listen(server, values.OPERATOR_GATEWAY_HOST, values.OPERATOR_GATEWAY_PORT)
  log.info({ port: values.OPERATOR_GATEWAY_PORT }, 'operators with a certificate may come in')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** A side that ends ends the other one, after what it said; one that fails cuts it off. */
function letThrough(socket: TLSSocket, port: number): void {
  const upstream = connect({ host: '127.0.0.1', port })
  join(socket, upstream)
  join(upstream, socket)
}

function join(from: Socket, to: Socket): void {
  from.pipe(to)
  from.once('close', () => to.end())
  from.once('error', () => to.destroy())
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw new StartError(
      `The operator gateway cannot listen on ${host}:${port}: ${(error as Error).message}.`,
    )
  }
}
