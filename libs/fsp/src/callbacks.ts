/**
 * A server for the hub's callbacks, bounded in size and time. With TLS it requires the hub's client
 * certificate and admits no other caller.
 */
import { contentType, type ErrorInformation, resourceRules, type Resource } from '@causeway/fspiop'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Fsp } from './fsp.ts'

export interface CallbackTls {
  /** All are PEM. */
  readonly certificate: string
  readonly key: string
  /** The CA that issues the hub's certificate. */
  readonly ca: string
  /**
   * The common name in the hub's certificate; when left out, any certificate of the CA may call.
   */
  readonly client?: string
}

export interface CallbackServerOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** The path prefix before the resource name: "/callbacks"; nothing when left out. */
  readonly base?: string
  /** Plain HTTP when left out: only for a development scheme, or behind a gateway that does TLS. */
  readonly tls?: CallbackTls
}

export interface CallbackServer {
  /** With the base, without a slash at its end: the address to register at the hub. */
  readonly url: string
  stop(): Promise<void>
}

const body_bytes_max = 5 * 1024 * 1024
const bounds = {
  maxHeaderSize: 65_536,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** Longer than hubs keep an idle connection, so that the hub closes it. */
  keepAliveTimeout: 65_000,
}
const stop_ms_max = 5_000

/** Rejects when it cannot listen there. */
export async function serveCallbacks(
  fsp: Pick<Fsp, 'receive'>,
  { host, port, base = '', tls }: CallbackServerOptions,
): Promise<CallbackServer> {
  const take = callbackHandler(fsp, base)
  const server =
    tls === undefined
      ? createServer(bounds, take)
      : createTlsServer({ ...bounds, ...secure(tls) }, (request, response) => {
          if (isAwaited(request, tls)) take(request, response)
          else response.writeHead(403).end()
        })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${taken}${base}`,
    async stop() {
      const late = setTimeout(() => server.closeAllConnections(), stop_ms_max)
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await closed
      clearTimeout(late)
    },
  }
}

/** For an existing server: handles the hub's requests below `base`. */
export function callbackHandler(
  fsp: Pick<Fsp, 'receive'>,
  base = '',
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('error', () => response.destroy())
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > body_bytes_max) request.destroy()
      else chunks.push(chunk)
    })
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      if (!url.startsWith(`${base}/`)) {
        response.writeHead(404).end()
        return
      }
      const [first = Buffer.alloc(0)] = chunks
      const body = chunks.length > 1 ? Buffer.concat(chunks) : first
      const target = url.slice(base.length)
      fsp.receive({ method, target, headers, body }).then(
        ({ status, error }) => answer(response, target, status, error),
        () => answer(response, target, 500, undefined),
      )
    })
  }
}

function answer(
  response: ServerResponse,
  target: string,
  status: number,
  error: ErrorInformation | undefined,
): void {
  const body = error === undefined ? '' : JSON.stringify({ errorInformation: error })
  response.writeHead(status, {
    'content-type': mediaTypeOf(target),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

function mediaTypeOf(target: string): string {
  const [, name = ''] = /^\/(\w+)/.exec(target) ?? []
  if (!Object.hasOwn(resourceRules, name)) return 'application/json'
  const resource = name as Resource
  return contentType(resource, resourceRules[resource].currentVersion)
}

function secure({ certificate, key, ca }: CallbackTls) {
  return {
    cert: certificate,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    handshakeTimeout: 10_000,
  } as const
}

function isAwaited({ socket }: IncomingMessage, { client }: CallbackTls): boolean {
  if (client === undefined) return true
  const { subject } = (socket as TLSSocket).getPeerCertificate() as Partial<PeerCertificate>
  return subject?.CN === client
}
