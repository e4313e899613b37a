/**
 * The operator's port for other machines: TLS with a certificate of the operators' own authority,
 * in front of an administration API that listens on this machine only. It forwards bytes and reads
 * none.
 */
import { once } from 'node:events'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import {
  readPem,
  StartError,
  type Logger,
  type Service,
  type SettingValues,
} from '@causeway/process'
import type { operatorGatewaySettings } from './settings.ts'

const handshake_ms_max = 10_000
/** Concurrent connections of operators: a browser has up to six. More are closed. */
const connections_max = 200

export interface Gateway extends Service {
  readonly port: number
}

/** Throws StartError for a missing file and for a port in use. */
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
    forward(socket, values.OPERATOR_PORT)
  })
  server.maxConnections = connections_max
  server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
    // A probe opens and closes the port every few seconds without sending anything: not logged.
    const level = error.code === 'ECONNRESET' ? 'debug' : 'info'
    log[level]({ why: error.message }, 'connection refused: no valid certificate')
  })
  await listen(server, values.OPERATOR_GATEWAY_HOST, values.OPERATOR_GATEWAY_PORT)
  log.info({ port: values.OPERATOR_GATEWAY_PORT }, 'the operator gateway is listening')
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

/**
 * When one side ends, the other ends after its last bytes; an error closes the other side at once.
 */
function forward(socket: TLSSocket, port: number): void {
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
