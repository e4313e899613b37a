/**
 * An HTTP server with bounds: on the head, on how long a request may take to arrive, and on how long a
 * stop waits. Malformed requests are answered in the shape of the server's API.
 */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { isIPv6, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext } from 'node:tls'
import { type Logger, StartError } from '@causeway/process'
import {
  answerOf,
  trackConnections,
  type ConnectionBounds,
  type Connections,
} from './connections.ts'

/** A response without a request for the handler. */
export interface FixedAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** A certificate for clients that name the host. */
export interface HostTls {
  /** Lower case. */
  readonly host: string
  /** PEM, with its chain. */
  readonly certificate: string
  /** PEM. */
  readonly key: string
}

/** The server's identity, and the CA of its clients. All are PEM. */
export interface ServerTls {
  readonly certificate: string
  readonly key: string
  /** CA of the clients; may be empty if they need no certificate. */
  readonly ca: string
  /**
   * Whether the server requests a certificate of a client. A client without one, or without one of
   * the CA, is admitted: `peerOf` reports it to the handler, whose error is clearer than a failed
   * handshake.
   */
  readonly asksClient: boolean
  /** Default: TLSv1.2, with `strongCiphers`. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3'
  /** In the format of OpenSSL, those of TLS 1.3 included. */
  readonly ciphers?: string
}

export interface HttpServerOptions {
  /** Name of the server for people: 'FSP server'. */
  readonly name: string
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /**
   * Gets the target in origin-form, also where the client sends a whole URL (RFC 9112, 3.2.2). A throw is
   * logged and answered with `onFault`, or ends the connection if the response has started.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void
  readonly log: Logger
  /** The response to a head of more than 64 KiB; 400 without a body if omitted. */
  readonly onHeadTooLarge?: FixedAnswer
  /**
   * The response to bytes that are not HTTP, and to a request without the header Host or with an
   * expectation (Expect) that is not supported; 400 without a body if omitted.
   */
  readonly onUnreadable?: FixedAnswer
  /** The response to a request that does not arrive in time; 408 without a body if omitted. */
  readonly onLate?: FixedAnswer
  /** 500 without a body if omitted. */
  readonly onFault?: FixedAnswer
  /** Plain HTTP if omitted. */
  readonly tls?: ServerTls
  /** Unbounded if omitted. */
  readonly connections?: ConnectionBounds
  /** The response to a client's connection beyond its bound; 503 without a body if omitted. */
  readonly onTooManyConnections?: FixedAnswer
}

export interface HttpServer {
  /** `http://127.0.0.1:4000`, without a slash at its end; `https:` with TLS. */
  readonly url: string
  /** From now on new connections see these; needs a server that was opened with TLS. */
  renewTls(tls: ServerTls): void
  /**
   * From now on new connections that name one of these hosts (SNI) see its certificate, and others that
   * of `renewTls`; needs a server that was opened with TLS. Throws for a certificate that is not one of
   * its key; then nothing changes.
   */
  setHosts(hosts: readonly HostTls[]): void
  /** Takes no new connections, finishes the requests in flight (at most 10 s), closes the rest. */
  stop(): Promise<void>
}

const bounds = {
  maxHeaderSize: 65_536,
  /** A header that is given twice is read as one list, never as the first of the two. */
  joinDuplicateHeaders: true,
  /** Checked here, so that the refusal has the shape of the API. */
  requireHostHeader: false,
  /** From the first byte of a request to the end of its head, and of its body. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  /** Longer than gateways retain an idle connection, so that the gateway closes it. */
  keepAliveTimeout: 65_000,
}

const handshake = { handshakeTimeout: 10_000 } as const

/** With forward secrecy and authenticated encryption: all of TLS 1.3, and of TLS 1.2 those alone. */
export const strongCiphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

const stop_ms_max = 10_000
/** How long a refused client may take to read the response before its connection is closed. */
const linger_ms = 1_000
/** The response to `OPTIONS *`, which asks whether the server is there (RFC 9110, 9.3.7). */
const alive: FixedAnswer = { status: 200, contentType: 'text/plain', body: '' }
const unreadable: FixedAnswer = { status: 400, contentType: 'text/plain', body: '' }
const tooMany: FixedAnswer = { status: 503, contentType: 'text/plain', body: '' }
const fault: FixedAnswer = { status: 500, contentType: 'text/plain', body: '' }
const late: FixedAnswer = { status: 408, contentType: 'text/plain', body: '' }

/** Throws StartError when the port is in use or may not be listened on. */
export async function serveHttp(options: HttpServerOptions): Promise<HttpServer> {
  const { handler, log, name, tls } = options
  const refuseRequest = (response: ServerResponse) => {
    response.shouldKeepAlive = false
    sendFixed(response, options.onUnreadable ?? unreadable)
  }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    // RFC 9112, 3.2.
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      refuseRequest(response)
      return
    }
    const { method, url = '/' } = request
    if (!url.startsWith('/')) {
      if (url === '*') {
        if (method === 'OPTIONS') sendFixed(response, alive)
        else refuseRequest(response)
        return
      }
      request.url = originForm(url)
    }
    try {
      handler(request, response)
    } catch (error) {
      log.error({ err: error, method, url: request.url }, `${name}: handler threw`)
      if (response.headersSent) response.destroy()
      else sendFixed(response, options.onFault ?? fault)
    }
  }
  const hosts = openHosts(tls)
  const server =
    tls === undefined
      ? createServer(bounds, handle)
      : createTlsServer(
          { ...bounds, ...handshake, ...secureOptions(tls), SNICallback: hosts.find },
          handle,
        )
  server.on('checkExpectation', (_request, response) => refuseRequest(response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, answerTo(error.code, options))
  })
  const connections = trackConnections(server, {
    isTls: tls !== undefined,
    bounds: options.connections,
    turnAway: (socket) => refuse(socket, options.onTooManyConnections ?? tooMany),
  })
  await listen(server, options)
  const { port } = server.address() as AddressInfo
  const host = isIPv6(options.host) ? `[${options.host}]` : options.host
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    renewTls(renewed) {
      if (tls === undefined) throw new Error(`the ${name} was opened without TLS`)
      ;(server as TlsServer).setSecureContext(secureOptions(renewed))
      hosts.renew(renewed)
    },
    setHosts: (set) => hosts.set(set),
    stop: () => stop(server, connections),
  }
}

/** The path and the query of a whole URL; other targets as they are. */
function originForm(target: string): string {
  if (!/^https?:\/\//i.test(target)) return target
  const rest = target.slice(target.indexOf('//') + 2)
  const end = rest.search(/[/?#]/)
  if (end < 0) return '/'
  return rest.startsWith('/', end) ? rest.slice(end) : `/${rest.slice(end)}`
}

function secureOptions({ certificate, key, ca, asksClient, ...floor }: ServerTls) {
  const certified = { cert: certificate, key, ca, ...floorOf(floor) }
  return { ...certified, requestCert: asksClient, rejectUnauthorized: false }
}

function floorOf({
  minVersion = 'TLSv1.2',
  ciphers = strongCiphers,
}: Pick<ServerTls, 'minVersion' | 'ciphers'>) {
  return { minVersion, ciphers, honorCipherOrder: true }
}

/** The certificates of hosts; clients of each are verified like those of the server itself. */
function openHosts(tls: ServerTls | undefined) {
  let ca = tls?.ca ?? ''
  let floor = floorOf(tls ?? {})
  let known: readonly HostTls[] = []
  let contexts: ReadonlyMap<string, SecureContext> = new Map()
  const build = (hosts: readonly HostTls[]) =>
    new Map(
      hosts.map(({ host, certificate: cert, key }) => [
        host,
        createSecureContext({ cert, key, ca, ...floor }),
      ]),
    )
  return {
    find: (name: string, found: (error: Error | null, context?: SecureContext) => void) => {
      found(null, contexts.get(name.toLowerCase()))
    },
    set(hosts: readonly HostTls[]) {
      contexts = build(hosts)
      known = hosts
    },
    renew(renewed: ServerTls) {
      ca = renewed.ca
      floor = floorOf(renewed)
      contexts = build(known)
    },
  }
}

function listen(server: Server, { name, host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new StartError(`The ${name} cannot listen on ${host}:${port}: ${reason(error)}.`))
    })
    server.listen({ host, port }, resolve)
  })
}

function reason(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return 'the port is in use'
    case 'EACCES':
      return 'this user may not listen on that port'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address'
    default:
      return error.message
  }
}

function answerTo(code: string | undefined, options: HttpServerOptions): FixedAnswer {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return options.onHeadTooLarge ?? unreadable
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return options.onLate ?? late
    default:
      return options.onUnreadable ?? unreadable
  }
}

/** The response to a request. */
export function sendFixed(
  response: ServerResponse,
  { status, contentType, body }: FixedAnswer,
): void {
  const length = String(Buffer.byteLength(body))
  const headers = { 'content-type': contentType, 'content-length': length }
  response.writeHead(status, { ...headers, ...retryAfter(status) }).end(body)
}

/**
 * When a client may try again after a response with 503, in seconds (RFC 9110, 10.2.3): what the hub lacks
 * is back within seconds, and load is measured each second. No header for others.
 */
export function retryAfter(status: number): { readonly 'retry-after'?: string } {
  return status === 503 ? { 'retry-after': '1' } : {}
}

/** Connections that `refuse` has answered, or answers when their turn comes. */
const refused = new WeakSet<Duplex>()

/**
 * Responds and closes, after the responses to the requests before: it would be mistaken for one of them.
 */
function refuse(socket: Duplex, answer: FixedAnswer): void {
  // Node.js 24 reports each further piece that it cannot parse.
  if (refused.has(socket)) return
  refused.add(socket)
  if (socket.writable) refuseInTurn(socket, answer)
  else socket.destroy()
}

function refuseInTurn(socket: Duplex, answer: FixedAnswer): void {
  const due = dueBefore(socket)
  // When it ends, the response to the next request has begun.
  if (due !== undefined) due.once('finish', () => refuseInTurn(socket, answer))
  else if (socket.writable) writeLast(socket, answer)
}

/**
 * Further bytes of the client are read and discarded for a while: a connection that is closed with unread
 * bytes is reset, and the client would lose the response.
 */
function writeLast(socket: Duplex, { status, contentType, body }: FixedAnswer): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(retryAfter(status)).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.resume()
  setTimeout(() => socket.destroy(), linger_ms).unref()
}

/**
 * The unfinished response to an earlier request of the connection. A response that is not started, to an
 * incomplete request, is the one that is written last.
 */
function dueBefore(socket: Duplex): ServerResponse | undefined {
  const answer = answerOf(socket)
  return answer !== undefined && (answer.headersSent || answer.req.complete) ? answer : undefined
}

/** Node counts a connection that never sent a request as busy, so it is closed here. */
async function stop(server: Server, { open, handshaking }: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const closeIdle = () => {
    for (const socket of handshaking.values()) socket.destroy()
    for (const socket of open)
      if (answerOf(socket) === undefined) socket.end(() => socket.destroy())
  }
  closeIdle()
  const idle = setInterval(closeIdle, 20)
  const end = setTimeout(() => server.closeAllConnections(), stop_ms_max)
  await closed
  clearInterval(idle)
  clearTimeout(end)
}
